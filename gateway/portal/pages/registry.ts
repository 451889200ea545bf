/**
 * All pages of the portal. A new part is a file or folder of pages that exports its section, plus a
 * line here; `group` sets its place in the navigation.
 */
import type { PortalSection } from '../page.ts'
import { askSection } from './ask/section.ts'
import { auditSection } from './audit/section.ts'
import { customSection } from './custom/section.ts'
import { grantsSection, myAccessSection } from './grants/section.ts'
import { helpSection } from './help.tsx'
import { needsSection } from './needs/section.ts'
import { overviewSection } from './overview.tsx'
import { peopleSection } from './people/section.ts'
import { profileSection } from './people/profile.tsx'
import { recordsSection } from './records/section.tsx'
import { reportsSection } from './reports/section.ts'
import { requestsSection } from './requests/section.ts'
import { changesSection } from './changes/section.ts'
import { clientsSection } from './staff/clients.tsx'
import { emergencySection } from './staff/emergency.tsx'
import { scopesSection } from './staff/scopes.tsx'
import { webhooksSection } from './webhooks/section.ts'

/** In the order of the navigation, within each group. */
export const portalSections: readonly PortalSection[] = [
  overviewSection,
  recordsSection,
  reportsSection,
  myAccessSection,
  askSection,
  requestsSection,
  needsSection,
  grantsSection,
  changesSection,
  customSection,
  webhooksSection,
  clientsSection,
  scopesSection,
  emergencySection,
  peopleSection,
  auditSection,
  profileSection,
  helpSection,
]
