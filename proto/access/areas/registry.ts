/** The record definitions of the sixteen areas. A new area is one file and one row here. */
import type { AreaKey } from './areas.ts'
import { aiAssistanceArea } from './automation-and-ai/ai-assistance.ts'
import { contactsArea } from './client-context/contacts.ts'
import { contentGapsArea } from './marketing-work/content-gaps.ts'
import type { AreaDefinition } from './define-area.ts'
import { deploymentsArea } from './software-delivery/deployments.ts'
import { domainsArea } from './software-delivery/domains.ts'
import { enrichmentArea } from './automation-and-ai/enrichment.ts'
import { extractionArea } from './automation-and-ai/extraction.ts'
import { marketScansArea } from './marketing-work/market-scans.ts'
import { monitoringArea } from './software-delivery/monitoring.ts'
import { onboardingArea } from './client-context/onboarding.ts'
import { opportunitiesArea } from './client-context/opportunities.ts'
import { projectsArea } from './software-delivery/projects.ts'
import { reportsArea } from './marketing-work/reports.ts'
import { seoAuditsArea } from './marketing-work/seo-audits.ts'
import { tasksArea } from './client-context/tasks.ts'
import { workflowActionsArea } from './automation-and-ai/workflow-actions.ts'

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
