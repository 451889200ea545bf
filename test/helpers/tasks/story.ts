/** A task's machine driven event by event: no runtime, no browser, no model. */
import { taskMachine } from '../../../actors/task/machine/machine.ts'
import { admitTask } from '../../../actors/task/machine/admit.ts'
import type { TaskContext } from '../../../actors/task/state/context.ts'
import type { ModelUsage } from '../../../actors/task/models/model.ts'
import type { Act, Decision } from '../../../actors/task/prompting/decision.ts'
import { isEffectWanted, type TaskEffect } from '../../../actors/task/machine/effect-requests.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { StateRecord, StepAction, StepRecord, TaskOrder } from '../../../proto/task/task.ts'
import type { EffectRequest } from '../../../runtime/actor/actor-kind.ts'
import type { Said } from '../runtime/said.ts'
import { startMachine, stepMachine, type MachineStep } from '../../../runtime/actor/cell/machine.ts'

export const startMs = Date.UTC(2026, 0, 1)
export const sessionId = 'ses_01'
export const turn = { sessionId, nodeId: 'n1', browserId: 'brw_1', epoch: 1 } as const
export const usage: ModelUsage = { inputTokens: 1_000, cachedTokens: 0, outputTokens: 50 }

export const order: TaskOrder = {
  prompt: 'Buy milk',
  opensUrl: true,
  provider: 'openai',
  maxSteps: 20,
  humanIntervention: false,
  confirm: ['payment'],
  secretNames: [],
  sessionId,
  keepsSession: false,
  vision: 'auto',
  timeoutMs: 60_000,
  allowsPrivateNetwork: false,
  finalCheck: false,
}

export type Event = Said

export const act = (more: Partial<Act> = {}): Act => ({
  tool: 'click',
  command: 'click',
  input: { target: 'e1' },
  given: { target: 'e1' },
  repeat: 'once',
  ...more,
})

export const decided = (more: Partial<Decision> = {}): Event => ({
  type: 'decided',
  decision: {
    note: 'I see a button.',
    facts: [],
    acts: [],
    then: { kind: 'go_on' },
    refused: [],
    ...more,
  } satisfies Decision,
  model: 'gpt-test',
  usage,
  ms: 100,
})

export const done = (success = true): Event =>
  decided({ then: { kind: 'done', success, result: { success, result: 'milk' } } })

export const acted = (more: Partial<StepAction> = {}, movedPage = false): Event => ({
  type: 'acted',
  action: { tool: 'click', input: { target: 'e1' }, outcome: 'done', text: '+ e2', ms: 5, ...more },
  movedPage,
  turn,
})

export const failure = (kind: string, more: object = {}): Event => ({
  type: 'faulted',
  failure: { kind, message: `the model: ${kind}`, ...more },
})

/** The type of the refusal, if a command is refused. */
export function refusalOf({ last }: Story, command: Event): string | undefined {
  try {
    admitTask(last.snapshot as never, command as never)
    return undefined
  } catch (error) {
    if (error instanceof ServiceError) return error.type
    throw error
  }
}

export class Story {
  readonly last: MachineStep
  /** Every requested effect, in order. */
  readonly asked: readonly EffectRequest[]

  constructor(last: MachineStep, asked: readonly EffectRequest[] = last.requested) {
    this.last = last
    this.asked = asked
  }

  /** With `sessionId: undefined` the task makes a session of its own. */
  static begin(more: { readonly [F in keyof TaskOrder]?: TaskOrder[F] | undefined } = {}): Story {
    const { sessionId: _, ...own } = { ...order, ...more }
    const isOwn = 'sessionId' in more && more.sessionId === undefined
    const input = {
      id: 'tsk_01',
      tenant: 'acme',
      keyId: 'k',
      keyName: 'ci',
      createdAtMs: startMs,
      order: isOwn ? own : { ...order, ...more },
    }
    return new Story(startMachine(taskMachine, input))
  }

  /** A task that has its turn and has seen its first page. */
  static deciding(more: Partial<TaskOrder> = {}): Story {
    return Story.begin(more).hears({ type: 'entered', turn }, prepared, observed())
  }

  hears(...events: readonly Event[]): Story {
    return events.reduce<Story>((story, event) => {
      const next = stepMachine(taskMachine, story.last.snapshot, { at: startMs + 1_000, ...event })
      return new Story(next, [...story.asked, ...next.requested])
    }, this)
  }

  get state(): string {
    return this.last.snapshot.value as string
  }

  get context(): TaskContext {
    return this.last.snapshot.context as TaskContext
  }

  /** The effects that the last event requested. */
  get wanted(): readonly string[] {
    return this.last.requested.map(({ kind }) => kind)
  }

  isWanted(kind: TaskEffect['kind']): boolean {
    return isEffectWanted(this.state, this.context, {
      kind,
      retry: 'safe',
      params: {},
    } as TaskEffect)
  }

  get records(): readonly (StepRecord | StateRecord)[] {
    return this.asked
      .filter(({ kind }) => kind === 'publish')
      .map(({ params }) => (params as { record: StepRecord | StateRecord }).record)
  }

  get steps(): readonly StepRecord[] {
    return this.records.filter((record) => record.type === 'step')
  }

  get states(): readonly StateRecord[] {
    return this.records.filter((record) => record.type === 'state')
  }

  /** How it has ended, once it has left its session. */
  get end(): { readonly state: string; readonly end?: string; readonly error?: string } {
    const story = this.state === 'leaving' ? this.hears({ type: 'left' }) : this
    return { state: story.state, ...story.context.outcome }
  }
}

export const prepared: Event = { type: 'prepared', turn, firstUrl: 'https://shop.test/' }

let pages = 0
/** A new page each time, unless its fingerprint is given. */
export const observed = (fingerprint = `p${++pages}`): Event => ({
  type: 'observed',
  page: { url: 'https://shop.test/', title: 'Shop', fingerprint, visual: false, ms: 20 },
  turn,
})
