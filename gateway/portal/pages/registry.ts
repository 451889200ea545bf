/**
 * All pages of the portal. A new part is a file or folder of pages that exports its section, plus a
 * line here; `group` sets its place in the navigation.
 */
import type { Section } from '../page.ts'
import { ask } from './ask/section.ts'
import { audit } from './audit.tsx'
import { custom } from './custom/section.ts'
import { grants, myAccess } from './grants/section.ts'
import { help } from './help.tsx'
import { needs } from './needs.tsx'
import { overview } from './overview.tsx'
import { people } from './people/section.ts'
import { profile } from './profile.tsx'
import { records } from './records/section.tsx'
import { reports } from './reports/section.ts'
import { requests } from './requests/section.ts'
import { changes } from './changes/section.ts'
import { clients } from './staff/clients.tsx'
import { emergency } from './staff/emergency.tsx'
import { scopes } from './staff/scopes.tsx'
import { webhooks } from './webhooks/section.ts'

/** In the order of the navigation, within each group. */
export const sections: readonly Section[] = [
  overview,
  records,
  reports,
  myAccess,
  ask,
  requests,
  needs,
  grants,
  changes,
  custom,
  webhooks,
  clients,
  scopes,
  emergency,
  people,
  audit,
  profile,
  help,
]
