/** The record definitions of the sixteen areas. A new area is one file and one row here. */
import type { AreaKey } from '../areas.ts'
import { aiAssistance } from './ai-assistance.ts'
import { contacts } from './contacts.ts'
import { contentGaps } from './content-gaps.ts'
import type { AreaDefinition } from './define-area.ts'
import { deployments } from './deployments.ts'
import { domains } from './domains.ts'
import { enrichment } from './enrichment.ts'
import { extraction } from './extraction.ts'
import { marketScans } from './market-scans.ts'
import { monitoring } from './monitoring.ts'
import { onboarding } from './onboarding.ts'
import { opportunities } from './opportunities.ts'
import { projects } from './projects.ts'
import { reports } from './reports.ts'
import { seoAudits } from './seo-audits.ts'
import { tasks } from './tasks.ts'
import { workflowActions } from './workflow-actions.ts'

export const areaDefinitions: Readonly<Record<AreaKey, AreaDefinition>> = {
  contacts,
  opportunities,
  tasks,
  onboarding,
  'seo-audits': seoAudits,
  reports,
  'content-gaps': contentGaps,
  'market-scans': marketScans,
  projects,
  deployments,
  domains,
  monitoring,
  'workflow-actions': workflowActions,
  enrichment,
  extraction,
  'ai-assistance': aiAssistance,
}
