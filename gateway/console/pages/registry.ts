/**
 * All pages of the console. A new part is a file or folder of pages that exports its section, plus
 * a line here; the order is that of the navigation.
 */
import type { ConsoleSection } from '../page.ts'
import { serviceAuditSection } from './audit/section.ts'
import { extensionsSection } from './extensions/section.ts'
import { findSection } from './find/find-page.tsx'
import { hostsSection } from './hosts/section.ts'
import { keysSection } from './keys/section.ts'
import { loginsSection } from './logins/section.ts'
import { profilesSection } from './profiles/section.ts'
import { sessionsSection } from './sessions/section.ts'
import { tasksSection } from './tasks/section.ts'
import { usageSection } from './usage/section.ts'

export const consoleSections: readonly ConsoleSection[] = [
  sessionsSection,
  tasksSection,
  profilesSection,
  loginsSection,
  extensionsSection,
  usageSection,
  hostsSection,
  keysSection,
  serviceAuditSection,
  findSection,
]
