/** The largest message that the platform accepts from the bus. */
export const MAX_MESSAGE_BYTES = 65_536;

/** The largest payload or result in such a message, as JSON in UTF-8. */
export const MAX_OBJECT_BYTES = 32_768;

/** The most steps of an execution: one for each byte of an image, if an adapter likes. */
export const MAX_STEPS = 1_000_000_000;

/** How long a device waits for a reply if its request does not say so. */
export const DEFAULT_EXPIRES_IN_SECONDS = 300;
