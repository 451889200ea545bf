/** The sample records of all sixteen areas, in the form in which KV `records` stores them. */
import type { AreaKey } from '../../../proto/access/areas.ts'
import { areaKeys } from '../../../proto/access/areas.ts'
import { system } from '../../../proto/access/author.ts'
import { dayMs } from '../../../proto/access/limits.ts'
import type { StoredRecord } from '../../../proto/access/record.ts'
import { Conflict } from '../../store.ts'
import { madeRecord } from '../records/change.ts'
import type { RecordStore } from '../records/record-store.ts'
import { aiAssistance } from './ai-assistance.ts'
import { contacts } from './contacts.ts'
import { contentGaps } from './content-gaps.ts'
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
import type { DemoWorld, Samples } from './world.ts'

const samples: Readonly<Record<AreaKey, Samples>> = {
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

/** Throws if a sample does not fit its area. */
export function demoRecords(world: DemoWorld): readonly StoredRecord[] {
  const origin = { by: system('demo') } as const
  return areaKeys.flatMap((area) =>
    samples[area](world).map(({ daysAgo, fields }, n) => {
      const createdAtMs = world.nowMs - daysAgo * dayMs
      const order = { client: world.client, area, id: world.id(area, n), fields, createdAtMs }
      return madeRecord({ ...order, action: 'import' }, origin, world.nowMs)
    }),
  )
}

export interface Written {
  readonly made: number
  /** Number of samples that existed already, including deleted ones, which stay deleted. */
  readonly known: number
}

export async function writeDemoRecords(store: RecordStore, world: DemoWorld): Promise<Written> {
  let made = 0
  let known = 0
  for (const record of demoRecords(world)) {
    try {
      await store.create(record)
      made++
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      known++
    }
  }
  return { made, known }
}
