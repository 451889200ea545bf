import {
  becomes,
  comparing,
  itemReaches,
  on,
  recordTypes,
  type ActorEventType,
  type ActorMoment,
} from './event-type.ts'

const done = becomes('status', 'completed', 'partial')

export const automation = [
  ...recordTypes('workflow-actions', [
    comparing(
      on(
        'workflow_run.succeeded',
        'A run of a workflow action succeeded.',
        itemReaches('runs', 'id', 'completed'),
      ),
    ),
    comparing(
      on(
        'workflow_run.failed',
        'A run of a workflow action failed.',
        itemReaches('runs', 'id', 'failed'),
      ),
    ),
  ]),
  ...recordTypes('enrichment', [
    on('enrichment.completed', 'An enrichment has its proposals.', done),
  ]),
  ...recordTypes('extraction', [
    on('extraction.completed', 'An extraction has its items.', done),
    on('extraction.failed', 'An extraction failed.', becomes('status', 'failed')),
  ]),
  ...recordTypes('ai-assistance', [
    on('ai_assistance.completed', 'An AI assistance has its output.', done),
  ]),
]

const actionOf = ({ context }: ActorMoment): string | undefined => {
  const { run } = (context['terms'] ?? {}) as { readonly run?: { readonly actionId?: unknown } }
  return typeof run?.actionId === 'string' ? run.actionId : undefined
}
const ofRun = (type: string, status: string, event: string): ActorEventType => ({
  ...{
    kind: 'change',
    area: 'workflow-actions',
    type,
    summary: 'Of a run that a change carries out.',
  },
  when: (moment) =>
    moment.status === status && moment.event === event && actionOf(moment) !== undefined,
  about: actionOf,
  more: ({ id }) => ({ status: type.slice('workflow_run.'.length), run_id: id }),
})

/** The same types for runs that were ordered here and are carried out by a change. */
export const workflowRuns: readonly ActorEventType[] = [
  ofRun('workflow_run.succeeded', 'done', 'applied'),
  ofRun('workflow_run.failed', 'failed', 'fail'),
]
