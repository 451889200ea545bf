/** The effects of a job: its record, the steps of its work, and the release of its resources. */
import { defined } from '../../../proto/defined.ts'
import type { RecordFields } from '../../../proto/access/areas/define-area.ts'
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import type { JobEffectContext, JobEffectDeps } from './deps.ts'
import { jobRunnerOf } from './kinds/registry.ts'
import type { jobMachine, JobEffects } from './machine.ts'
import { createRecord, updateRecord } from './record.ts'
import type { JobContext } from './context.ts'

type Outcome = OutcomeOf<typeof jobMachine>

export function jobEffects(deps: JobEffectDeps): EffectHandlers<JobEffects, JobContext, Outcome> {
  return {
    async record(_, { state }) {
      const asked = jobRunnerOf(state.work).requestFields()
      await createRecord(deps.records, state, { ...asked, status: 'queued' })
      return { type: 'recorded' }
    },
    work: (_, effect) => work(deps, effect),
    finish: (_, effect) => finish(deps, effect),
  }
}

async function work(deps: JobEffectDeps, effect: JobEffectContext): Promise<Outcome> {
  const { state } = effect
  const job = jobRunnerOf(state.work)
  const fields: RecordFields = {
    ...job.progress(),
    status: 'running',
    started_at: iso(state.createdAtMs),
    provenance: provenanceOf(state),
  }
  await updateRecord(deps.records, state, fields, deps.clock.now())
  effect.signal.throwIfAborted()
  return { type: 'stepped', step: await job.step(deps, effect) }
}

/**
 * Releases resources first, so that nothing of a job is running once its record says it has ended.
 */
async function finish(deps: JobEffectDeps, effect: JobEffectContext): Promise<Outcome> {
  const { state } = effect
  const job = jobRunnerOf(state.work)
  await job.release(deps, effect)
  const { status, error, fields } = job.result(state.ended ?? { end: 'done' })
  const ended: RecordFields = {
    ...fields,
    status,
    ...defined({ error }),
    provenance: provenanceOf(state),
    finished_at: iso(state.endedAtMs ?? deps.clock.now()),
  }
  await updateRecord(deps.records, state, ended, deps.clock.now())
  return { type: 'finished' }
}

function provenanceOf({ work }: JobContext): RecordFields {
  const { tool, usedResources } = jobRunnerOf(work)
  return {
    tool: tool.name,
    version: tool.version,
    ...usedResources(),
    untrusted: true,
  }
}

const iso = (ms: number) => new Date(ms).toISOString()
