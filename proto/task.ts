/**
 * A web task as REST, `/ws` and NATS speak of it: what is ordered, what it is like from outside, and
 * the numbered records of what it did. The names of the order are those of the browser-service
 * contract; ours beyond it are marked so.
 */
import { z } from 'zod'
import { apiProviders } from './credential.ts'
import { domain } from './domain.ts'
import { limits } from './limits.ts'
import { sessionCreateBody } from './session.ts'

const visions = ['auto', 'always', 'never'] as const
export type Vision = (typeof visions)[number]

/** Classes of action that wait for a person where `human_intervention` is on. */
export const gatedActions = ['payment', 'deletion', 'upload', 'download', 'leaving_site'] as const
export type GatedAction = (typeof gatedActions)[number]

const { secretCharsPerTask: secretCharsMost } = limits

/** Further fields are let pass: clients of the contract send what they were given. */
export const taskBody = z.object({
  prompt: z.string().trim().min(1).max(limits.promptChars).describe('The goal, in words.'),
  url: z
    .url({ protocol: /^https?$/ })
    .max(limits.urlBytes)
    .optional(),
  provider: z
    .string()
    .max(limits.providerChars)
    .optional()
    .describe(`${apiProviders.join(', ')} or acp:<agent>; the configured one when absent.`),
  model: z.string().min(1).max(limits.modelChars).optional(),
  agent: z.literal('browser-use').optional().describe('The loop of this service.'),
  async: z.boolean().default(false).describe('true answers at once with the id.'),
  max_steps: z.number().int().min(1).max(limits.taskStepsMax).default(limits.taskSteps),
  output_schema: z.record(z.string(), z.unknown()).optional().describe('A JSON Schema.'),
  detect_elements: z.literal(true).optional().describe('Elements are always detected.'),
  highlight_elements: z.literal(false).optional().describe('Nothing is painted on pages.'),
  human_intervention: z.boolean().default(false),
  secret_values: z
    .record(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), z.string().min(1).max(limits.secretChars))
    .refine((secrets) => Object.keys(secrets).length <= limits.secretsPerTask, {
      message: `must be ${limits.secretsPerTask} at most`,
    })
    .refine((secrets) => Object.entries(secrets).flat().join('').length <= secretCharsMost, {
      message: `must have at most ${secretCharsMost} characters, names and values together`,
    })
    .optional()
    .describe('The model sees the names alone, and writes <secret>name</secret>.'),
  extended_system_message: z.string().max(limits.promptChars).optional(),
  directly_open_url: z.boolean().optional().describe('false: the model opens url itself.'),
  directlyOpenUrl: z.boolean().optional().describe('The same, as an older client spells it.'),

  // Beyond the contract.
  session_options: sessionCreateBody.optional().describe('Of the session made for the task.'),
  keep_session: z.boolean().default(false).describe('Leave the session made for it running.'),
  vision: z.enum(visions).default('auto').describe('auto: pictures where a page is one.'),
  timeout_seconds: z.number().int().min(1).max(limits.taskSecondsMax).default(limits.taskSeconds),
  max_tokens: z.number().int().min(1_000).optional().describe('In and out, of the whole task.'),
  max_cost_usd: z
    .number()
    .positive()
    .optional()
    .describe('Of an account with a price, or a provider that tells what it costs.'),
  allowed_domains: z.array(domain).min(1).max(limits.taskDomains).optional(),
  allow_private_network: z.boolean().default(false).describe('Needed where url is private.'),
  confirm: z.array(z.enum(gatedActions)).optional().describe('All of them unless told.'),
  final_check: z.boolean().default(true).describe('Hold the result against the goal once more.'),
})
export type TaskBody = z.output<typeof taskBody>

/** What the task's actor is made from: a body with every default filled in and nothing in the clear. */
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
  readonly extendedSystemMessage?: string
  /** A session that was there; absent: the task makes its own, of these options. */
  readonly sessionId?: string
  readonly sessionBody?: z.output<typeof sessionCreateBody>
  readonly keepsSession: boolean
  readonly vision: Vision
  readonly timeoutMs: number
  readonly tokensMax?: number
  readonly costMaxUsd?: number
  readonly allowedDomains?: readonly string[]
  readonly allowsPrivateNetwork: boolean
  readonly finalCheck: boolean
}

export interface TaskInput {
  readonly id: string
  readonly tenant: string
  readonly keyId: string
  readonly keyName: string
  readonly createdAtMs: number
  readonly order: TaskOrder
}

/** Where a task is. The last four are final. */
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

/** What the contract calls it, and `CANCELLED`. */
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

/** Why a task ended as it did. */
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

/** Sums over the task; tokens as the provider counts them, or estimated where it does not. */
export interface TaskUsage {
  readonly calls: number
  readonly inputTokens: number
  /** Of the input, what the provider had in its cache. */
  readonly cachedTokens: number
  readonly outputTokens: number
  /** Absent while nobody says what it costs. */
  readonly costUsd?: number
  readonly estimated?: boolean
}

/** What a person is asked. */
export interface TaskQuestion {
  readonly id: string
  readonly kind: 'question' | 'confirmation'
  /** For a confirmation, the class of the action. */
  readonly action?: GatedAction
  readonly text: string
  readonly askedAtMs: number
}

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
  /** When it is stopped, whatever it is doing. */
  readonly expiresAtMs?: number
  readonly prompt: string
  readonly url?: string
  readonly provider: string
  readonly model?: string
  readonly sessionId?: string
  /** Made for this task. */
  readonly ownsSession: boolean
  readonly maxSteps: number
  /** Steps that are done, or begun. */
  readonly steps: number
  /** Why it did what it did last, in its own words. */
  readonly note?: string
  readonly usage: TaskUsage
  /** The key that its secrets are sealed with, while it has any. */
  readonly sealKey?: string
  readonly question?: TaskQuestion
  /** Of a completed one: an object. */
  readonly result?: Readonly<Record<string, unknown>>
  readonly end?: TaskEnd
  /** One sentence for a person, of one that did not complete. */
  readonly error?: string
}

/** One thing that was done in a step. Texts are bounded and masked. */
export interface StepAction {
  readonly tool: string
  /** As the model gave it: secrets are names here. */
  readonly input: Readonly<Record<string, unknown>>
  /** The line of the page that the target's ref stood in. */
  readonly element?: string
  /** `dropped`: the page had changed under it; `unknown`: its host died, it may have been done. */
  readonly outcome: 'done' | 'failed' | 'dropped' | 'unknown' | 'refused'
  /** What came of it: changes of the page, or what went wrong. */
  readonly text?: string
  readonly ms: number
}

/** JSON on `troupe.v1.pub.task.<id>.step`: one decision of the model and what was done of it. */
export interface StepRecord {
  readonly type: 'step'
  readonly task_id: string
  readonly session_id: string
  /** 1, 2, 3 … without a gap. */
  readonly n: number
  /** ISO time of its end. */
  readonly at: string
  /** What it decided upon seeing this page. */
  readonly page: { readonly url: string; readonly title: string }
  readonly reason: string
  readonly actions: readonly StepAction[]
  /** Path of the picture, on the gateway; absent where none was kept. */
  readonly screenshot?: string
  readonly provider: string
  readonly model: string
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number }
  readonly ms: { readonly observe: number; readonly decide: number; readonly act: number }
}

/** JSON on `troupe.v1.pub.task.<id>.state`: a change that somebody outside may wait for. */
export interface StateRecord {
  readonly type: 'state'
  readonly task_id: string
  readonly session_id?: string
  /** 1, 2, 3 … of its own. */
  readonly n: number
  readonly at: string
  readonly state: TaskState
  readonly status: TaskStatus
  /** Steps so far. */
  readonly steps: number
  readonly question?: TaskQuestion
  readonly result?: Readonly<Record<string, unknown>>
  readonly end?: TaskEnd
  readonly error?: string
}

/** What `/ws` sends, and what both subjects of a task carry together. */
export type TaskRecord = StepRecord | StateRecord
