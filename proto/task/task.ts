/**
 * A web task in the form of REST, `/ws` and NATS: its order, its public state, and the numbered
 * records of its steps. Names in the order are those of the browser-service contract; our additions
 * are marked.
 */
import { z } from 'zod'
import { apiProviders } from '../accounts/credential.ts'
import { domainSchema } from '../session/domain.ts'
import { limits } from '../limits.ts'
import { sessionCreateBody } from '../session/session.ts'
import { siteLoginName, type KnownSiteLogin } from '../session/site-login.ts'
import { taskLimits } from './task-limits.ts'

const visions = ['auto', 'always', 'never'] as const
export type VisionMode = (typeof visions)[number]

/** Classes of actions that wait for a person if `human_intervention` is on. */
export const gatedActions = ['payment', 'deletion', 'upload', 'download', 'leaving_site'] as const
export type GatedAction = (typeof gatedActions)[number]

const { secretCharsPerTask: secretCharsMost } = taskLimits

/** Unknown fields are accepted, because clients of the contract send back what they were given. */
export const taskBody = z.object({
  prompt: z.string().trim().min(1).max(taskLimits.promptChars).describe('The goal, in words.'),
  url: z
    .url({ protocol: /^https?$/ })
    .max(limits.urlBytes)
    .optional(),
  provider: z
    .string()
    .max(taskLimits.providerChars)
    .optional()
    .describe(`${apiProviders.join(', ')} or acp:<agent>. If absent, your configured default.`),
  model: z.string().min(1).max(taskLimits.modelChars).optional(),
  agent: z.literal('browser-use').optional().describe('The only value: the agent of this service.'),
  async: z
    .boolean()
    .default(false)
    .describe('true returns the id immediately, without waiting for the result.'),
  max_steps: z.number().int().min(1).max(taskLimits.taskStepsMax).default(taskLimits.taskSteps),
  output_schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of the result.'),
  detect_elements: z
    .literal(true)
    .optional()
    .describe('Always true: elements are always detected.'),
  highlight_elements: z
    .literal(false)
    .optional()
    .describe('Always false: nothing is drawn on pages.'),
  human_intervention: z.boolean().default(false),
  secret_values: z
    .record(
      z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
      z.string().min(1).max(taskLimits.secretChars),
    )
    .refine((secrets) => Object.keys(secrets).length <= taskLimits.secretsPerTask, {
      message: `must have at most ${taskLimits.secretsPerTask} entries`,
    })
    .refine((secrets) => Object.entries(secrets).flat().join('').length <= secretCharsMost, {
      message: `must have at most ${secretCharsMost} characters, names and values together`,
    })
    .optional()
    .describe(
      'Secrets by name. The model sees only the names, and types a value as ' +
        '<secret>name</secret>.',
    ),
  logins: z
    .array(siteLoginName)
    .max(taskLimits.loginsPerTask)
    .optional()
    .describe(
      'Names of your logins that the model may fill in, without seeing their values. Default: all of ' +
        'them, as far as allowed_domains permits; none with scripts.',
    ),
  extended_system_message: z.string().max(taskLimits.promptChars).optional(),
  directly_open_url: z
    .boolean()
    .optional()
    .describe('true (default) opens url before the first step; false leaves that to the model.'),
  directlyOpenUrl: z
    .boolean()
    .optional()
    .describe('Same as directly_open_url, as older clients spell it.'),

  // Fields that the browser-service contract does not have.
  session_options: sessionCreateBody
    .refine(({ session }) => session?.storage_state === undefined, {
      path: ['session', 'storage_state'],
      message: 'is for POST /v1/sessions: create the session first, and name it in sessionId',
    })
    .optional()
    .describe('Options of the session created for the task; not with sessionId.'),
  keep_session: z
    .boolean()
    .default(false)
    .describe('Keep the session that was created for the task running after it ends.'),
  vision: z
    .enum(visions)
    .default('auto')
    .describe(
      'When the model sees screenshots. auto: on pages that are mostly graphics, and when it asks ' +
        'for one.',
    ),
  timeout_seconds: z
    .number()
    .int()
    .min(1)
    .max(taskLimits.taskSecondsMax)
    .default(taskLimits.taskSeconds),
  max_tokens: z
    .number()
    .int()
    .min(1_000)
    .optional()
    .describe('Maximum of input and output tokens of the whole task.'),
  max_cost_usd: z
    .number()
    .positive()
    .optional()
    .describe(
      'Maximum cost in US dollars. Requires an account with a price, or a provider that reports ' +
        'costs.',
    ),
  allowed_domains: z.array(domainSchema).min(1).max(limits.taskDomains).optional(),
  allow_private_network: z
    .boolean()
    .default(false)
    .describe('Whether the task can open private addresses; required if url is one.'),
  confirm: z
    .array(z.enum(gatedActions))
    .optional()
    .describe(
      'Actions that a person must confirm if human_intervention is true. If absent, all of them.',
    ),
  scripts: z
    .boolean()
    .default(false)
    .describe(
      'true: the model can run scripts (run_script). Cannot be combined with secrets or ' +
        'confirmations.',
    ),
  final_check: z
    .boolean()
    .default(true)
    .describe('Check the result against the goal once more before the task completes.'),
})
export type TaskBody = z.output<typeof taskBody>

/** The input of the task's actor: a body with all defaults filled in and all secrets sealed. */
export interface TaskOrder {
  readonly prompt: string
  readonly url?: string
  readonly opensUrl: boolean
  /** One of {@link apiProviders}, or `acp:<agent>`. */
  readonly provider: string
  readonly model?: string
  readonly maxSteps: number
  readonly outputSchema?: Readonly<Record<string, unknown>>
  readonly humanIntervention: boolean
  readonly confirm: readonly GatedAction[]
  readonly secretNames: readonly string[]
  /** `{name: value}`, sealed. */
  readonly sealedSecrets?: string
  /** The logins that it may fill in; absent: none. */
  readonly logins?: readonly KnownSiteLogin[]
  readonly extendedSystemMessage?: string
  /** An existing session; absent: the task creates its own with `sessionOptions`. */
  readonly sessionId?: string
  readonly sessionBody?: z.output<typeof sessionCreateBody>
  readonly keepsSession: boolean
  readonly vision: VisionMode
  readonly timeoutMs: number
  readonly tokensMax?: number
  readonly costMaxUsd?: number
  readonly allowedDomains?: readonly string[]
  readonly allowsPrivateNetwork: boolean
  readonly finalCheck: boolean
  /** The model may run scripts; absent: it may not. */
  readonly scripts?: true
}

export interface TaskInput {
  readonly id: string
  readonly tenant: string
  readonly keyId: string
  readonly keyName: string
  readonly createdAtMs: number
  readonly order: TaskOrder
}

/** The state of a task. The last four are final. */
export const taskStates = [
  'queued',
  'acquiring',
  'observing',
  'deciding',
  'acting',
  'checking',
  'waiting',
  'asking',
  'paused',
  'leaving',
  'completed',
  'failed',
  'cancelled',
  'timed_out',
] as const
export type TaskState = (typeof taskStates)[number]

/** The status by the contract's names, and `CANCELLED`. */
export const taskStatuses = ['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const
export type TaskStatus = (typeof taskStatuses)[number]

export const taskStatusOf = (state: TaskState): TaskStatus => {
  switch (state) {
    case 'completed':
      return 'COMPLETED'
    case 'cancelled':
      return 'CANCELLED'
    case 'failed':
    case 'timed_out':
      return 'FAILED'
    default:
      return 'RUNNING'
  }
}
export const isTaskOver = (state: TaskState): boolean => taskStatusOf(state) !== 'RUNNING'

/** Why a task ended. */
export const taskEnds = [
  'done',
  'cancelled',
  'max_steps',
  'timeout',
  'token_budget',
  'cost_budget',
  'loop',
  'no_progress',
  'bad_result',
  'model_unusable',
  'model_refused',
  'provider_auth',
  'provider_failed',
  'agent_failed',
  'session_ended',
  'session_unavailable',
  'internal',
] as const
export type TaskEnd = (typeof taskEnds)[number]

/** Totals of the task; tokens as counted by the provider, or estimated if it does not count. */
export interface TaskUsage {
  readonly calls: number
  readonly inputTokens: number
  /** Input tokens that the provider had cached. */
  readonly cachedTokens: number
  readonly outputTokens: number
  /** Absent while the cost is unknown. */
  readonly costUsd?: number
  readonly estimated?: boolean
}

/** A question to a person. */
export interface TaskQuestion {
  readonly id: string
  readonly kind: 'question' | 'confirmation'
  /** For a confirmation: the class of the action. */
  readonly action?: GatedAction
  readonly text: string
  readonly askedAtMs: number
}

/** Why a task waits, if it does not wait for a person. */
export interface TaskWait {
  readonly for: 'model'
  /** When the unanswered request was sent to the model, in wall-clock ms. */
  readonly sinceMs: number
  /** Why it is asked again later; absent while its answer is still awaited. */
  readonly reason?: string
  /** When it is asked again, wall-clock ms. */
  readonly retryAtMs?: number
}

/** {@link TaskWait} in JSON; times are ISO. */
export interface TaskWaitRecord {
  readonly for: 'model'
  readonly since: string
  readonly reason?: string
  readonly retry_at?: string
}

export const taskWaitRecord = ({ sinceMs, reason, retryAtMs }: TaskWait): TaskWaitRecord => ({
  for: 'model',
  since: new Date(sinceMs).toISOString(),
  ...(reason !== undefined && { reason }),
  ...(retryAtMs !== undefined && { retry_at: new Date(retryAtMs).toISOString() }),
})

/** The public record of a task in KV `views`. Times are wall-clock ms. Secrets are masked. */
export interface TaskView {
  readonly id: string
  readonly tenant: string
  readonly keyId: string
  readonly keyName: string
  readonly state: TaskState
  readonly createdAtMs: number
  readonly startedAtMs?: number
  readonly endedAtMs?: number
  /** When it is stopped, in any state. */
  readonly expiresAtMs?: number
  readonly prompt: string
  readonly url?: string
  readonly provider: string
  readonly model?: string
  readonly sessionId?: string
  /** True if the session was created for this task. */
  readonly ownsSession: boolean
  readonly maxSteps: number
  /** Steps that are finished or started. */
  readonly steps: number
  /** The model's reason for its last action. */
  readonly note?: string
  readonly usage: TaskUsage
  /** Id of the key that its secrets are sealed with, while it has any. */
  readonly sealKey?: string
  readonly question?: TaskQuestion
  /** Set once a model has not answered for two seconds, or is asked again later. */
  readonly waiting?: TaskWait
  /** Set when completed: an object. */
  readonly result?: Readonly<Record<string, unknown>>
  readonly end?: TaskEnd
  /** One sentence for a person, if it did not complete. */
  readonly error?: string
}

/** One action of a step. Texts are limited in size and masked. */
export interface StepAction {
  readonly tool: string
  /** As the model gave it: secrets appear by name. */
  readonly input: Readonly<Record<string, unknown>>
  /** The snapshot line that contains the target's ref. */
  readonly element?: string
  /**
   * `dropped`: the page had changed meanwhile; `unknown`: its host died, so it may have been done.
   */
  readonly outcome: 'done' | 'failed' | 'dropped' | 'unknown' | 'refused'
  /** Its result: changes of the page, or what went wrong. */
  readonly text?: string
  readonly ms: number
}

/** JSON on `troupe.v1.pub.task.<id>.step`: one decision of the model and its execution. */
export interface StepRecord {
  readonly type: 'step'
  readonly task_id: string
  readonly session_id: string
  /** 1, 2, 3 … without gaps. */
  readonly n: number
  /** ISO time of the step's end. */
  readonly at: string
  /** The page that the decision was based on. */
  readonly page: { readonly url: string; readonly title: string }
  readonly reason: string
  readonly actions: readonly StepAction[]
  /** Path of the screenshot on the gateway; absent if none was kept. */
  readonly screenshot?: string
  readonly provider: string
  readonly model: string
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number }
  /** US dollars; absent while the cost is unknown. */
  readonly cost_usd?: number
  readonly ms: { readonly observe: number; readonly decide: number; readonly act: number }
}

/** JSON on `troupe.v1.pub.task.<id>.state`: a change of state that clients may wait for. */
export interface StateRecord {
  readonly type: 'state'
  readonly task_id: string
  readonly session_id?: string
  /** 1, 2, 3 …, counted separately from steps. */
  readonly n: number
  readonly at: string
  readonly state: TaskState
  readonly status: TaskStatus
  /** Steps so far. */
  readonly steps: number
  readonly question?: TaskQuestion
  /** The task waits for its model; the next step, or the next state, ends it. */
  readonly waiting?: TaskWaitRecord
  readonly result?: Readonly<Record<string, unknown>>
  readonly end?: TaskEnd
  readonly error?: string
}

/** What `/ws` sends: the records of both subjects of a task. */
export type TaskRecord = StepRecord | StateRecord
