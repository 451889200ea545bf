/** Audit: who used the service, from where, and what it refused. */
import { forOperators } from '../../html/operators-only.tsx'
import type { ConsoleSection } from '../../page.ts'
import { feedAudit, showAudit } from './audit-page.tsx'

export const serviceAuditSection: ConsoleSection = {
  nav: [{ label: 'Audit', path: '/audit', scope: 'admin' }],
  pages: [
    { path: '/audit', show: forOperators('Audit', showAudit) },
    { path: '/audit/feed', scope: 'admin', show: feedAudit },
  ],
}
