/**
 * Answers an agent's permission requests for tools. Our tools are allowed, because their actions
 * are checked when they run. Everything else (shell, files, other MCP servers) is refused.
 */
import { isDeepStrictEqual } from 'node:util'
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { LRUCache } from 'lru-cache'
import { taskRunLimits } from '../../limits.ts'

/** The name of our MCP endpoint, from which agents derive the names of its tools. */
export const serverName = 'troupe'

type AskedTool = Pick<
  RequestPermissionRequest['toolCall'],
  'toolCallId' | 'name' | 'title' | '_meta'
> &
  Partial<Pick<RequestPermissionRequest['toolCall'], 'kind' | 'rawInput'>>

/** The fields of a call that may name its tool. */
interface Names {
  readonly name?: string
  readonly ofMeta?: string
  readonly ofClaude?: string
  readonly title?: string
}

export class ToolPermissions {
  readonly #tools: ReadonlySet<string>
  readonly #onRefused: (title: string) => void
  /**
   * Announced calls: some agents name the tool there, and request permission by the call's id only.
   */
  readonly #namesByCall = new LRUCache<string, Names>({ max: taskRunLimits.agentToolCallsKept })

  /** `tools`: names of our tools. `onRefused` gets the title of each refused call. */
  constructor(tools: ReadonlySet<string>, onRefused: (title: string) => void = () => {}) {
    this.#tools = tools
    this.#onRefused = onRefused
  }

  observe(update: SessionUpdate): void {
    if (update.sessionUpdate !== 'tool_call') return
    const { toolCallId } = update
    if (toolCallId.length > taskRunLimits.agentNameChars) return
    this.#namesByCall.set(toolCallId, namesOf(update))
  }

  answer({
    toolCall,
    options,
  }: Pick<RequestPermissionRequest, 'toolCall' | 'options'>): RequestPermissionResponse {
    const { toolCallId } = toolCall
    const names = { ...this.#namesByCall.get(toolCallId), ...namesOf(toolCall) }
    const isOurs = this.#isOurs(names, toolCallId) || this.#isOurInput(toolCall, options)
    if (!isOurs) this.#onRefused(toolCall.title ?? names.title ?? toolCallId)
    const wanted = isOurs
      ? option(options, 'allow_once', 'allow_always')
      : option(options, 'reject_once', 'reject_always')
    if (!wanted) return { outcome: { outcome: 'cancelled' } }
    return { outcome: { outcome: 'selected', optionId: wanted.optionId } }
  }

  /**
   * No agent sets every field that can name the tool. All fields that are set must be names of our
   * tools, in full: a title may be a model's text (such as a shell command), so it counts only if
   * it is nothing but a name.
   */
  #isOurs({ name, ofMeta, ofClaude, title }: Names, toolCallId: string): boolean {
    const candidates = [name, ofMeta, ofClaude].filter((each) => each !== undefined)
    if (candidates.length > 0) return candidates.every((each) => this.#isName(each))
    // Gemini's call ids consist of the tool's name and a time.
    const [, ofId] = /^(.+)-\d+$/.exec(short(toolCallId)) ?? []
    return this.#isName(title) || this.#isName(ofId)
  }

  /**
   * Qwen Code 0.15 sends the input of the tool as the title. The tool's name is in the options that
   * allow it permanently, or at the end of the call's id. It does so only for tools of MCP servers, never
   * for a shell: the title of a shell command is not an input, or the call has another kind.
   */
  #isOurInput(toolCall: AskedTool, options: readonly PermissionOption[]): boolean {
    const { toolCallId, title, kind, rawInput } = toolCall
    const { name, ofMeta, ofClaude } = namesOf(toolCall)
    if ((name ?? ofMeta ?? ofClaude) !== undefined || (kind ?? 'other') !== 'other') return false
    const [, tool, text] = /^(?:(\w+ \(\w+ MCP Server\)): )?(\{.*\})$/s.exec(title ?? '') ?? []
    if (text === undefined || !isInput(text, rawInput)) return false
    if (tool !== undefined) return this.#isName(tool)
    const offered = options.flatMap((each) => /^Always Allow .*: (\w+)$/.exec(each.name)?.[1] ?? [])
    if (offered.length > 0) return offered.every((each) => this.#tools.has(each))
    return [...this.#tools].some((each) => toolCallId.endsWith(`_${each}`))
  }

  #isName(text: string | undefined): boolean {
    if (text === undefined) return false
    return forms.some((form) => this.#tools.has(form.exec(text)?.[1] ?? ''))
  }
}

/** The forms in which agents name an MCP tool. */
const forms: readonly RegExp[] = [
  new RegExp(`^mcp__${serverName}__(\\w+)$`),
  new RegExp(`^mcp[_.]${serverName}[_.](\\w+)$`),
  new RegExp(`^${serverName}(?:__|_|[./:])(\\w+)$`),
  new RegExp(`^(\\w+) \\(${serverName} MCP Server\\)$`),
]

/** True if the text is an object as JSON, equal to the input if that is known too. */
function isInput(text: string, rawInput: unknown): boolean {
  try {
    const input = JSON.parse(text) as unknown
    return (rawInput ?? undefined) === undefined || isDeepStrictEqual(input, rawInput)
  } catch {
    // No JSON, so no input.
    return false
  }
}

/** Prefers "once" to "always", which some agents store in their owner's settings. */
function option(
  options: readonly PermissionOption[],
  ...kinds: readonly PermissionOption['kind'][]
): PermissionOption | undefined {
  return kinds.flatMap((kind) => options.find((each) => each.kind === kind) ?? [])[0]
}

/** Absent fields do not overwrite known ones. */
function namesOf({ name, title, _meta }: AskedTool): Names {
  const meta = _meta as { toolName?: unknown; claudeCode?: { toolName?: unknown } } | null
  const said = { name, title, ofMeta: meta?.toolName, ofClaude: meta?.claudeCode?.toolName }
  const names = Object.entries(said).filter(([, text]) => (text ?? '') !== '')
  return Object.fromEntries(names.map(([of, text]) => [of, short(text)]))
}

/** A text that is too long to be a name is ignored and not stored. */
const short = (text: unknown): string =>
  typeof text === 'string' && text.length <= taskRunLimits.agentNameChars ? text : 'no name'
