/** Hosts: the processes of the service, their browsers, the store, and recent problems. */
import { forOperators } from '../../html/operators-only.tsx'
import type { ConsoleSection } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { feedHosts, showHosts, submitHost } from './host-page.tsx'

export const hostsSection: ConsoleSection = {
  nav: [{ label: 'Hosts', path: '/hosts', scope: 'admin' }],
  pages: [
    { path: '/hosts', show: forOperators('Hosts', showHosts) },
    { path: '/hosts/feed', scope: 'admin', show: feedHosts },
    ...(['drain', 'undrain'] as const).map((verb) => ({
      path: `/hosts/{host}/${verb}`,
      scope: 'admin' as const,
      show: (visit: ConsoleVisit) => ({ to: visit.at('/hosts') }),
      submit: submitHost(verb),
      again: forOperators('Hosts', showHosts),
    })),
  ],
}
