/** Says what a client that is not active means for its people and for those who work for it. */
import type { ClientStatus, ClientView } from '../../../proto/access/engagement/client.ts'
import { NoticeBox } from '../../html/parts.tsx'

const words: Readonly<Record<Exclude<ClientStatus, 'active'>, { title: string; text: string }>> = {
  onboarding: {
    title: 'The engagement has not begun',
    text: 'No access can be granted yet. An admin of the provider activates the client first.',
  },
  suspended: {
    title: 'The client is suspended',
    text: 'All access to its data is refused until an admin of the provider resumes it.',
  },
  offboarding: {
    title: 'The engagement is ending',
    text: 'Access to the client’s data is refused, and none can be granted. The audit can be read.',
  },
  closed: {
    title: 'The engagement has ended',
    text: 'All access to the client’s data has ended with it. The audit can still be read.',
  },
}

/** Nothing while the client is active. */
export const ClientNotice = ({ client }: { client: ClientView | undefined }) => {
  if (client === undefined || client.status === 'active') return <></>
  const { title, text } = words[client.status]
  return (
    <NoticeBox tone="wait" title={title}>
      <p>{text}</p>
    </NoticeBox>
  )
}
