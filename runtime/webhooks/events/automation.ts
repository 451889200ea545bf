import {
  onFieldValue,
  withPrevious,
  onItemStatus,
  recordRule,
  recordTypes,
  type ActorEventType,
  type ActorMoment,
} from './event-type.ts'

const done = onFieldValue('status', 'completed', 'partial')

export const automationEvents = [
  ...recordTypes('workflow-actions', [
    withPrevious(
      recordRule(
        'workflow_run.succeeded',
        'A run of a workflow action succeeded.',
        onItemStatus('runs', 'id', 'completed'),
      ),
    ),
    withPrevious(
      recordRule(
        'workflow_run.failed',
        'A run of a workflow action failed.',
        onItemStatus('runs', 'id', 'failed'),
      ),
    ),
  ]),
  ...recordTypes('enrichment', [
    recordRule('enrichment.completed', 'An enrichment has its proposals.', done),
  ]),
  ...recordTypes('extraction', [
    recordRule('extraction.completed', 'An extraction has its items.', done),
    recordRule('extraction.failed', 'An extraction failed.', onFieldValue('status', 'failed')),
  ]),
  ...recordTypes('ai-assistance', [
    recordRule('ai_assistance.completed', 'An AI assistance has its output.', done),
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
    summary: 'For a run that a change carries out.',
  },
  when: (moment) =>
    moment.status === status && moment.event === event && actionOf(moment) !== undefined,
  about: actionOf,
  more: ({ id }) => ({ status: type.slice('workflow_run.'.length), run_id: id }),
})

/** The same types for runs that were ordered here and are carried out by a change. */
export const workflowRunEvents: readonly ActorEventType[] = [
  ofRun('workflow_run.succeeded', 'done', 'applied'),
  ofRun('workflow_run.failed', 'failed', 'fail'),
]
