import type { Visit } from '../visit.ts'

/** For people whose role or access was not enough. */
export const PortalForbiddenHint = ({ visit }: { visit: Visit }) => (
  <p>
    If this is part of your work, ask an owner for the role it needs. To read or change records,{' '}
    <a href={visit.at('/ask')}>request access</a>. The access you already have is listed under{' '}
    <a href={visit.at('/access')}>My access</a>.
  </p>
)
