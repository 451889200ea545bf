/**
 * An agent asks before it uses a tool. Ours may be used: what they do is checked where they act.
 * Everything else (shell, files, other people's servers) is refused.
 */
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { LRUCache } from 'lru-cache'
import { limits } from '../../../proto/limits.ts'

/** As agents know our MCP endpoint; their names of its tools are made of it. */
export const serverName = 'troupe'

type AskedTool = Pick<
  RequestPermissionRequest['toolCall'],
  'toolCallId' | 'name' | 'title' | '_meta'
>

/** All that is kept of a call: what agents name its tool by. */
interface Names {
  readonly name?: string
  readonly ofMeta?: string
  readonly ofClaude?: string
  readonly title?: string
}

export class Permissions {
  readonly #tools: ReadonlySet<string>
  /** Calls that were told of: some agents name the tool there, and ask by the call's id alone. */
  readonly #told = new LRUCache<string, Names>({ max: limits.agentToolCallsKept })

  /** Of the tools that are ours. */
  constructor(tools: ReadonlySet<string>) {
    this.#tools = tools
  }

  hear(update: SessionUpdate): void {
    if (update.sessionUpdate !== 'tool_call') return
    const { toolCallId } = update
    if (toolCallId.length > limits.agentNameChars) return
    this.#told.set(toolCallId, namesOf(update))
  }

  answer({
    toolCall,
    options,
  }: Pick<RequestPermissionRequest, 'toolCall' | 'options'>): RequestPermissionResponse {
    const { toolCallId } = toolCall
    const names = { ...this.#told.get(toolCallId), ...namesOf(toolCall) }
    const wanted = this.#isOurs(names, toolCallId)
      ? option(options, 'allow_once', 'allow_always')
      : option(options, 'reject_once', 'reject_always')
    if (!wanted) return { outcome: { outcome: 'cancelled' } }
    return { outcome: { outcome: 'selected', optionId: wanted.optionId } }
  }

  /**
   * No field that names the tool is in every agent. Those that are there must all be names of ours,
   * whole: a title may be what a model wrote (the command of a shell), and then must be nothing but
   * such a name to count.
   */
  #isOurs({ name, ofMeta, ofClaude, title }: Names, toolCallId: string): boolean {
    const told = [name, ofMeta, ofClaude].filter((each) => each !== undefined)
    if (told.length > 0) return told.every((each) => this.#isName(each))
    // Gemini makes the id of a call of the tool's name and a time.
    const [, ofId] = /^(.+)-\d+$/.exec(short(toolCallId)) ?? []
    return this.#isName(title) || this.#isName(ofId)
  }

  #isName(text: string | undefined): boolean {
    if (text === undefined) return false
    return forms.some((form) => this.#tools.has(form.exec(text)?.[1] ?? ''))
  }
}

/** How agents form the name of a tool of MCP. */
const forms: readonly RegExp[] = [
  new RegExp(`^mcp__${serverName}__(\\w+)$`),
  new RegExp(`^mcp[_.]${serverName}[_.](\\w+)$`),
  new RegExp(`^${serverName}(?:__|_|[./:])(\\w+)$`),
  new RegExp(`^(\\w+) \\(${serverName} MCP Server\\)$`),
]

/** "Once" before "always", which some agents write into their owner's settings. */
function option(
  options: readonly PermissionOption[],
  ...kinds: readonly PermissionOption['kind'][]
): PermissionOption | undefined {
  return kinds.flatMap((kind) => options.find((each) => each.kind === kind) ?? [])[0]
}

/** What is not said does not take back what was. */
function namesOf({ name, title, _meta }: AskedTool): Names {
  const meta = _meta as { toolName?: unknown; claudeCode?: { toolName?: unknown } } | null
  const said = { name, title, ofMeta: meta?.toolName, ofClaude: meta?.claudeCode?.toolName }
  const names = Object.entries(said).filter(([, text]) => (text ?? '') !== '')
  return Object.fromEntries(names.map(([of, text]) => [of, short(text)]))
}

/** What is too long to be a name is no name, and is not kept. */
const short = (text: unknown): string =>
  typeof text === 'string' && text.length <= limits.agentNameChars ? text : 'no name'
