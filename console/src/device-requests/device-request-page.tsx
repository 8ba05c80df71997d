import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { DeviceRequest } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { useSession } from '../session/session';
import { Foreign, Json } from '../ui/foreign';
import { One } from '../ui/one';
import { Status } from '../ui/status';
import { Time } from '../ui/time';
import { ReplyForm } from './reply-form';

const route = getRouteApi('/device-requests/$requestId');

export function DeviceRequestPage() {
  const { client } = useSession();
  const { requestId } = route.useParams();
  const query = useQuery({
    queryKey: ['device-request', requestId],
    queryFn: async ({ signal }) => client.deviceRequests.get(requestId, { signal }),
  });
  return (
    <>
      <Link to="/device-requests">← {texts.deviceRequests.back}</Link>
      <Liveness list={query} />
      <One query={query} missing={texts.deviceRequests.missing}>
        {(request) => <Details request={request} />}
      </One>
    </>
  );
}

const REPLY = 'open:device-request:create';

function Details({ request }: { request: DeviceRequest }) {
  const mayReply = useSession().me.scopes.includes(REPLY);
  const { device_id, request_type, vendor, received_at, expires_at, status, payload, reply } = request;
  return (
    <>
      <div className="title">
        <h1>
          <Foreign text={device_id} /> <span className="soft">→</span> <Foreign text={request_type} />
        </h1>
        <Status status={status} />
      </div>
      <p className="soft">
        <Foreign text={vendor} /> · {texts.deviceRequests.received} <Time at={received_at} full /> ·{' '}
        {texts.deviceRequests.expires} <Time at={expires_at} full />
      </p>
      <h2>{texts.deviceRequests.payload}</h2>
      <Json value={payload} label={texts.deviceRequests.payload} />
      <h2>{texts.deviceRequests.reply}</h2>
      {reply && <Json value={reply} label={texts.deviceRequests.reply} />}
      {!reply && status === 'PENDING' && mayReply && <ReplyForm request={request} />}
      {!reply && status === 'PENDING' && !mayReply && <p className="soft">{texts.shell.missing(REPLY)}</p>}
      {!reply && status !== 'PENDING' && <p>{texts.deviceRequests.noReply}</p>}
    </>
  );
}
