/** The audit: who did what and why, and the verification of the chain. */
import { onlyRoles } from '../../../routing/auth/access-rule.ts'
import { bothSurfaces, type PortalSection } from '../../page.ts'
import { downloadEntries, showEntries } from './entries.tsx'
import { showEntry } from './entry.tsx'
import { showVerdict } from './verdict.tsx'

const readers = onlyRoles('admin', 'reviewer', 'operator', 'change_manager', 'auditor', 'owner')
const keepers = onlyRoles('admin', 'auditor', 'owner')

export const auditSection: PortalSection = {
  group: 'Oversight',
  nav: [{ label: 'Audit', path: '/audit', in: bothSurfaces, who: readers }],
  pages: [
    { path: '/audit', in: bothSurfaces, who: readers, show: showEntries },
    { path: '/audit/download', in: bothSurfaces, who: readers, show: downloadEntries },
    { path: '/audit/verify', in: bothSurfaces, who: keepers, show: showVerdict },
    { path: '/audit/{id}', in: bothSurfaces, who: readers, show: showEntry },
  ],
}
