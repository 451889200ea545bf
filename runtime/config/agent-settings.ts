/** Command-line agents that tasks may use on this host, and how they start; set by the operator. */
import { ConfigError, listSetting, type Setting } from './setting.ts'

/** How to start a program; absent fields keep their built-in values. */
export interface AgentCommand {
  readonly command?: string
  readonly args?: readonly string[]
  /** May contain a credential. */
  readonly env?: Readonly<Record<string, string>>
}

export const agentSettings = {
  ACP_AGENTS: listSetting(
    [],
    'Command-line agents that tasks may use, such as claude,codex; none unless named. They run on this host, with their owner’s login.',
  ),
  ACP_COMMANDS: commands(
    'How to start agents that are unknown or start differently: {"name":{"command":"…","args":["…"],"env":{}}}.',
  ),
} as const

type Commands = Readonly<Record<string, AgentCommand>>

function commands(help: string): Setting<Commands> {
  return {
    fallback: {},
    shown: '',
    help,
    secret: true,
    parse(value, name) {
      const given = parseJsonOrUndefined(value)
      if (isCommands(given)) return given
      // The value is not shown, because it may contain a credential.
      const expected = 'use JSON such as {"mine":{"command":"/opt/mine","args":["acp"],"env":{}}}'
      throw new ConfigError(name, '…', expected)
    },
  }
}

function parseJsonOrUndefined(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // The caller reports what was expected.
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown) => typeof value === 'string'

const isCommands = (value: unknown): value is Commands =>
  isRecord(value) && Object.values(value).every(isCommand)

function isCommand(value: unknown): value is AgentCommand {
  if (!isRecord(value)) return false
  const { command = '', args = [], env = {}, ...others } = value
  const fits = isText(command) && Array.isArray(args) && args.every(isText) && isRecord(env)
  return fits && Object.values(env).every(isText) && Object.keys(others).length === 0
}
