/** The sample records of all sixteen areas, in the form in which KV `records` stores them. */
import type { AreaKey } from '../../../proto/access/areas.ts'
import { areaKeys } from '../../../proto/access/areas.ts'
import { systemAuthor } from '../../../proto/access/author.ts'
import { dayMs } from '../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../proto/access/record.ts'
import { StoreConflict } from '../../store.ts'
import { createdRecord } from '../records/change.ts'
import type { RecordStore } from '../records/record-store.ts'
import { demoAiAssistance } from './ai-assistance.ts'
import { demoContacts } from './contacts.ts'
import { demoContentGaps } from './content-gaps.ts'
import { demoDeployments } from './deployments.ts'
import { demoDomains } from './domains.ts'
import { demoEnrichment } from './enrichment.ts'
import { demoExtraction } from './extraction.ts'
import { demoMarketScans } from './market-scans.ts'
import { demoMonitoring } from './monitoring.ts'
import { demoOnboarding } from './onboarding.ts'
import { demoOpportunities } from './opportunities.ts'
import { demoProjects } from './projects.ts'
import { demoReports } from './reports.ts'
import { demoSeoAudits } from './seo-audits.ts'
import { demoTasks } from './tasks.ts'
import { demoWorkflowActions } from './workflow-actions.ts'
import type { DemoWorld, SampleMaker } from './world.ts'

const samples: Readonly<Record<AreaKey, SampleMaker>> = {
  contacts: demoContacts,
  opportunities: demoOpportunities,
  tasks: demoTasks,
  onboarding: demoOnboarding,
  'seo-audits': demoSeoAudits,
  reports: demoReports,
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
    samples[area](world).map(({ daysAgo, fields }, n) => {
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
