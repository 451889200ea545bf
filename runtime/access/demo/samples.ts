/**
 * The sample records of all areas but reports, which the demo makes from them, in the form in which
 * KV `records` stores them.
 */
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { areaKeys } from '../../../proto/access/areas/areas.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { dayMs } from '../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../proto/access/areas/record.ts'
import { StoreConflict } from '../../store/store.ts'
import { createdRecord } from '../records/change.ts'
import type { RecordStore } from '../records/record-store.ts'
import { demoAiAssistance } from './automation-and-ai/ai-assistance.ts'
import { demoContacts } from './client-context/contacts.ts'
import { demoContentGaps } from './marketing-work/content-gaps.ts'
import { demoDeployments } from './software-delivery/deployments.ts'
import { demoDomains } from './software-delivery/domains.ts'
import { demoEnrichment } from './automation-and-ai/enrichment.ts'
import { demoExtraction } from './automation-and-ai/extraction.ts'
import { demoMarketScans } from './marketing-work/market-scans.ts'
import { demoMonitoring } from './software-delivery/monitoring.ts'
import { demoOnboarding } from './client-context/onboarding.ts'
import { demoOpportunities } from './client-context/opportunities.ts'
import { demoProjects } from './software-delivery/projects.ts'
import { demoSeoAudits } from './marketing-work/seo-audits.ts'
import { demoTasks } from './client-context/tasks.ts'
import { demoWorkflowActions } from './automation-and-ai/workflow-actions.ts'
import type { DemoWorld, SampleMaker } from './world.ts'

const samples: Readonly<Record<Exclude<AreaKey, 'reports'>, SampleMaker>> = {
  contacts: demoContacts,
  opportunities: demoOpportunities,
  tasks: demoTasks,
  onboarding: demoOnboarding,
  'seo-audits': demoSeoAudits,
  'content-gaps': demoContentGaps,
  'market-scans': demoMarketScans,
  projects: demoProjects,
  deployments: demoDeployments,
  domains: demoDomains,
  monitoring: demoMonitoring,
  'workflow-actions': demoWorkflowActions,
  enrichment: demoEnrichment,
  extraction: demoExtraction,
  'ai-assistance': demoAiAssistance,
}

/** Throws if a sample does not fit its area. */
export function demoRecords(world: DemoWorld): readonly StoredRecord[] {
  const origin = { by: systemAuthor('demo') } as const
  return areaKeys.flatMap((area) =>
    (area === 'reports' ? [] : samples[area](world)).map(({ daysAgo, fields }, n) => {
      const createdAtMs = world.nowMs - daysAgo * dayMs
      const order = { client: world.client, area, id: world.id(area, n), fields, createdAtMs }
      return createdRecord({ ...order, action: 'import' }, origin, world.nowMs)
    }),
  )
}

export interface DemoWriteResult {
  readonly made: number
  /** Number of samples that existed already, including deleted ones, which stay deleted. */
  readonly known: number
}

export async function writeDemoRecords(
  store: RecordStore,
  world: DemoWorld,
): Promise<DemoWriteResult> {
  let made = 0
  let known = 0
  for (const record of demoRecords(world)) {
    try {
      await store.create(record)
      made++
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      known++
    }
  }
  return { made, known }
}
