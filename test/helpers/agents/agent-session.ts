/**
 * A task's agent without a task: a scripted agent as a real process, a real gateway for its MCP
 * client, and the questions that a test asks it.
 */
import { pino } from 'pino'
import { AcpAgents, type AgentsDeps } from '../../../actors/task/acp/agents.ts'
import { agentSpecs } from '../../../actors/task/acp/registry.ts'
import {
  ModelFailure,
  type BudgetLeft,
  type TaskModel,
  type ModelAnswer,
  type ModelRequest,
  type ModelTask,
} from '../../../actors/task/models/model.ts'
import { defined } from '../../../proto/defined.ts'
import { decode, encode } from '../../../proto/codec.ts'
import type { Reply } from '../../../proto/envelope.ts'
import type { HostRecord } from '../../../proto/host.ts'
import { newId, newIncarnation } from '../../../proto/ids.ts'
import { NoResponders, type Bus, type BusHandler } from '../../../runtime/store/bus.ts'
import { systemClock, type Clock } from '../../../runtime/lib/clock.ts'
import { Scripted } from './agent-script.ts'
import { playService, secret } from '../gateway/gateway.ts'
import type { AgentScript } from './scripted-agent.ts'
import { playedSecret } from '../gateway/played/secret.ts'

/** The served subjects, as NATS would know them. */
const handlers = new Map<string, BusHandler>()
const bus: Pick<Bus, 'serve'> = {
  serve(subject, handler) {
    handlers.set(subject, handler)
    return { stop: () => void handlers.delete(subject) }
  },
}

const service = await playService({
  async node(subject, request) {
    const handler = handlers.get(subject)
    if (!handler) throw new NoResponders(subject)
    return decode<Reply>(await handler(encode(request), subject))
  },
})
export const closeGateway = () => service.close()

export const gateway: HostRecord & { readonly url: string } = {
  state: 'alive',
  incarnation: newIncarnation('n', 'gateway'),
  nodeId: 'n',
  role: 'gateway',
  leaseMs: 1_000,
  machine: 'here',
  version: '1',
  url: service.gateway.url,
}

export const agentDeps = {
  bus: bus as Bus,
  clock: systemClock,
  membership: { available: () => [gateway] },
  machine: 'here',
  serviceSecret: playedSecret(secret),
  log: pino({ level: 'silent' }),
} satisfies Omit<AgentsDeps, 'specs'>

const tenMinutesMs = 600_000

export const newTask = (): ModelTask => ({
  id: newId('tsk'),
  sessionId: newId('ses'),
  epoch: 3,
  expiresAtMs: Date.now() + tenMinutesMs,
})

export interface AgentTestSession {
  readonly agent: Scripted
  readonly task: ModelTask
  ask(request: ModelRequest): Promise<ModelAnswer>
  /** Ends the task; resolves when the agent has ended. */
  leave(): Promise<void>
}

interface Test {
  teardown(work: () => Promise<void>): void
}

interface SessionChoices {
  readonly model?: string
  readonly clock?: Clock
  readonly budget?: BudgetLeft
}

/** A task whose agent plays this script. */
export async function startTestSession(
  t: Test,
  script: Omit<AgentScript, 'diary'>,
  { clock = systemClock, budget, model: named }: SessionChoices = {},
): Promise<AgentTestSession> {
  const agent = new Scripted(script)
  const specs = agentSpecs(['scripted'], { scripted: agent.command })
  const agents = new AcpAgents({ ...agentDeps, specs, clock })
  const task = { ...newTask(), ...defined({ budget }) }
  const end = new AbortController()
  const attended = agents.attend(task, end.signal)
  const leave = async () => {
    end.abort()
    await attended
  }
  t.teardown(async () => {
    await leave()
    await agents.close()
    agent.forget()
  })
  const choice = { tenant: 'default', provider: 'acp:scripted', task, ...defined({ model: named }) }
  const model: TaskModel = await agents.open(choice)
  return { agent, task, leave, ask: (r) => model.ask(r, new AbortController().signal) }
}

export async function failure(work: Promise<unknown>): Promise<ModelFailure> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ModelFailure) return error
  throw new Error(`no failure of a model: ${String(error)}`)
}
