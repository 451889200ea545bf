/**
 * Starts an agent: its process, the handshake, its tools. Loaded on first use, because the
 * protocol's library takes 20 MB and a third of a second.
 */
import type { Clock } from '../../../runtime/lib/clock.ts'
import type { Guard, ProcessExit } from '../../../runtime/process/guard.ts'
import { AgentProcess } from './agent-process.ts'
import { AcpAgent } from './agent.ts'
import type { McpAccess } from './mcp-access.ts'
import type { AgentSpec } from './registry.ts'
import type { AgentStart } from './session/agent-session.ts'

export interface AgentStartOptions {
  readonly spec: AgentSpec
  /** Path of its command. */
  readonly program: string
  readonly model: string | undefined
  readonly access: McpAccess
  readonly guard: Guard
  /** Unique in the guard. */
  readonly key: string
  readonly clock: Clock
  /** Called when the process exists. */
  readonly onStart: (exited: Promise<ProcessExit>) => void
}

/** Throws a `ModelFailure`, and then leaves nothing behind. */
export async function startAgent(
  { spec, program, model, access, guard, key, clock, onStart }: AgentStartOptions,
  { tools, listed, askPerson, onChange, signal }: AgentStart,
): Promise<AcpAgent> {
  const process = new AgentProcess(guard, clock, key, program, spec)
  onStart(process.exited)
  const agent = new AcpAgent({
    name: spec.name,
    meta: spec.meta,
    process,
    clock,
    tools: new Set(tools.map(({ name }) => name)),
    access,
    onChange,
    ...(askPerson && { askPerson }),
  })
  // Ending the process ends the handshake.
  const leave = () => void process.end()
  signal.addEventListener('abort', leave, { once: true })
  try {
    signal.throwIfAborted()
    await agent.open(model, listed)
    return agent
  } catch (error) {
    await agent.end()
    throw error
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
