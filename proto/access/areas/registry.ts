/** The record definitions of the sixteen areas. A new area is one file and one row here. */
import type { AreaKey } from '../areas.ts'
import { aiAssistanceArea } from './ai-assistance.ts'
import { contactsArea } from './contacts.ts'
import { contentGapsArea } from './content-gaps.ts'
import type { AreaDefinition } from './define-area.ts'
import { deploymentsArea } from './deployments.ts'
import { domainsArea } from './domains.ts'
import { enrichmentArea } from './enrichment.ts'
import { extractionArea } from './extraction.ts'
import { marketScansArea } from './market-scans.ts'
import { monitoringArea } from './monitoring.ts'
import { onboardingArea } from './onboarding.ts'
import { opportunitiesArea } from './opportunities.ts'
import { projectsArea } from './projects.ts'
import { reportsArea } from './reports.ts'
import { seoAuditsArea } from './seo-audits.ts'
import { tasksArea } from './tasks.ts'
import { workflowActionsArea } from './workflow-actions.ts'

export const areaDefinitions: Readonly<Record<AreaKey, AreaDefinition>> = {
  contacts: contactsArea,
  opportunities: opportunitiesArea,
  tasks: tasksArea,
  onboarding: onboardingArea,
  'seo-audits': seoAuditsArea,
  reports: reportsArea,
  'content-gaps': contentGapsArea,
  'market-scans': marketScansArea,
  projects: projectsArea,
  deployments: deploymentsArea,
  domains: domainsArea,
  monitoring: monitoringArea,
  'workflow-actions': workflowActionsArea,
  enrichment: enrichmentArea,
  extraction: extractionArea,
  'ai-assistance': aiAssistanceArea,
}
