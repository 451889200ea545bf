/** Hosts: the processes of the service, their browsers, the store, and recent problems. */
import { forOperators } from '../../html/operators-only.tsx'
import type { ConsoleSection } from '../../page.ts'
import { drainFromPage, feedHosts, showHosts, undrainFromPage } from './host-page.tsx'

export const hostsSection: ConsoleSection = {
  nav: [{ label: 'Hosts', path: '/hosts', scope: 'admin' }],
  pages: [
    { path: '/hosts', show: forOperators('Hosts', showHosts) },
    { path: '/hosts/feed', scope: 'admin', show: feedHosts },
    {
      path: '/hosts/{host}/drain',
      scope: 'admin',
      show: (visit) => ({ to: visit.at('/hosts') }),
      submit: drainFromPage,
      again: forOperators('Hosts', showHosts),
    },
    {
      path: '/hosts/{host}/undrain',
      scope: 'admin',
      show: (visit) => ({ to: visit.at('/hosts') }),
      submit: undrainFromPage,
      again: forOperators('Hosts', showHosts),
    },
  ],
}
