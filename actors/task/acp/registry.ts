/**
 * The known agents, and how each is started. The operator chooses which may be used (ACP_AGENTS),
 * because they act on this host with its owner's login.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { AgentCommand } from '../../../runtime/config/agent-settings.ts'
import { ConfigError } from '../../../runtime/config/setting.ts'
import { serverName } from './session/permission.ts'

export interface AgentSpec {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** In addition to the environment that every agent gets. */
  readonly env: Readonly<Record<string, string>>
  /** How to install a missing program. */
  readonly install: string
  /** Sent with `session/new`, for options that the protocol does not define. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /**
   * True if the agent, without a login and a chosen model, uses a free hosted model: pages would be
   * sent to a provider that the operator has not chosen. So a task must name its model.
   */
  readonly needsModel: boolean
}

interface Known {
  readonly run: string
  readonly install: string
  readonly meta?: AgentSpec['meta']
  readonly env?: AgentSpec['env']
  readonly needsModel?: true
}

const npm = (name: string) => `npm install -g ${name}`

/** Without tools of its own, MCP servers of its owner, and stored conversations. */
const claudeOptions = {
  tools: [],
  strictMcpConfig: true,
  allowDangerouslySkipPermissions: false,
  persistSession: false,
  promptSuggestions: false,
}

/** Without the MCP servers of its owner, whose tools may have the names of ours. */
const onlyOurs = `--allowed-mcp-server-names ${serverName}`

const known: Readonly<Record<string, Known>> = {
  claude: {
    run: 'claude-agent-acp',
    install: npm('@agentclientprotocol/claude-agent-acp'),
    meta: { claudeCode: { options: claudeOptions } },
  },
  codex: { run: 'codex-acp', install: npm('@agentclientprotocol/codex-acp') },
  gemini: {
    run: `gemini --acp ${onlyOurs}`,
    install: npm('@google/gemini-cli'),
    // In an untrusted folder it uses no MCP tools. Ours is empty, so it can be trusted.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  },
  qwen: { run: `qwen --acp ${onlyOurs}`, install: npm('@qwen-code/qwen-code') },
  opencode: { run: 'opencode acp', install: npm('opencode-ai'), needsModel: true },
  copilot: { run: 'copilot --acp --stdio', install: npm('@github/copilot') },
  cursor: { run: 'cursor-agent acp', install: 'install the Cursor CLI' },
  droid: { run: 'droid exec --output-format acp', install: 'install the Factory CLI' },
  auggie: { run: 'auggie --acp', install: npm('@augmentcode/auggie') },
  kimi: { run: 'kimi acp', install: 'install the Kimi CLI' },
  kiro: { run: 'kiro-cli-chat acp', install: 'install the Kiro CLI' },
  junie: { run: 'junie --acp=true', install: 'install the Junie CLI' },
  grok: { run: 'grok agent stdio', install: 'install the Grok CLI' },
  // A descendant of opencode.
  kilo: { run: 'kilo acp', install: npm('@kilocode/cli'), needsModel: true },
}

/** Throws {@link ConfigError} for an unknown name. */
export function agentSpecs(
  allowed: readonly string[],
  commands: Readonly<Record<string, AgentCommand>>,
): ReadonlyMap<string, AgentSpec> {
  return new Map(allowed.map((name) => [name, specOf(name, commands[name])]))
}

function specOf(name: string, own: AgentCommand | undefined): AgentSpec {
  const there = Object.hasOwn(known, name) ? known[name] : undefined
  const [program, ...args] = there?.run.split(' ') ?? []
  const command = own?.command ?? program
  if (command === undefined) {
    const names = Object.keys(known).join(', ')
    throw new ConfigError('ACP_AGENTS', name, `use ${names}, or say in ACP_COMMANDS how it starts`)
  }
  const install = own?.command === undefined ? there?.install : undefined
  return {
    name,
    command,
    args: own?.args ?? (own?.command === undefined ? args : []),
    env: { ...there?.env, ...own?.env },
    install: install ?? `install ${command}`,
    meta: there?.meta,
    needsModel: there?.needsModel === true,
  }
}

/** Finds a command in PATH; undefined if it is not there. */
export function findProgram(command: string, path: string): string | undefined {
  const places = isAbsolute(command)
    ? [command]
    : path.split(delimiter).map((folder) => join(folder, command))
  return places.find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // It does not exist or is not executable: try the next folder.
    return false
  }
}
