import type { Visit } from '../visit.ts'

/** For people whose role or access was not enough. */
export const PortalForbiddenHint = ({ visit }: { visit: Visit }) => (
  <p>
    An owner gives people their roles: ask one if this is part of your work. To read or change
    records, <a href={visit.at('/ask')}>ask for access</a>; what you have already is under{' '}
    <a href={visit.at('/access')}>My access</a>.
  </p>
)
