import { useEffect, useRef } from 'react';

/** For a form whose fields show the address. They stay when it changes, and so does the focus. */
export function useFormOfAddress(shown: object) {
  const form = useRef<HTMLFormElement>(null);
  const address = JSON.stringify(shown);
  useEffect(() => form.current?.reset(), [address]);
  return form;
}
