/**
 * The tools of a model: the page tools of the catalogue, in the form of the least capable provider.
 */
import { commandCatalogue, type CommandName } from '../../../proto/commands/catalogue.ts'
import type { Command, TaskForm } from '../../../proto/commands/command.ts'
import { jsonSchema } from '../../../proto/commands/schema.ts'
import type { ToolDefinition } from '../models/model.ts'
import type { PromptBrief } from './decision.ts'
import { simplifySchema, type JsonSchema } from './simple-schema.ts'

/** A tool that acts on the page. */
export interface PageTool {
  readonly command: Command & { readonly name: CommandName }
  readonly form: TaskForm
  readonly definition: PromptToolDefinition
}

/** A tool's flattened schema. */
export interface PromptToolDefinition extends ToolDefinition {
  readonly parameters: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, JsonSchema>>
    /** Absent if empty, because some providers refuse an empty list. */
    readonly required?: readonly string[]
  }
}

/** Explained once, in the system message. */
const note: JsonSchema = { type: 'string' }

function define(
  name: string,
  description: string,
  properties: Record<string, JsonSchema>,
  required: readonly string[],
): PromptToolDefinition {
  return {
    name,
    description,
    // Some providers refuse an object without properties, but each tool has `note`.
    parameters: {
      type: 'object',
      properties: { note, ...properties },
      ...(required.length > 0 && { required }),
    },
  }
}

/** Fields of most tools, explained once in the system message. */
const describedArguments: ReadonlySet<string> = new Set(['target', 'from', 'to'])

function pageTool(command: PageTool['command'], form: TaskForm): PageTool {
  const { properties, required } = jsonSchema(form.input ?? command.input, 'input')
  const flat = Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = simplifySchema(schema).schema
    return [
      name,
      describedArguments.has(name) || !description ? rest : { ...rest, description },
    ] as const
  })
  const definition = define(form.name, form.modelHelp, Object.fromEntries(flat), required ?? [])
  return { command, form, definition }
}

/** By name. A model cannot use other commands, above all not `evaluate`. */
export const pageToolsByName: ReadonlyMap<string, PageTool> = new Map(
  commandCatalogue.flatMap((command: PageTool['command']) => {
    const own = command.transport === 'page' ? command.tool : undefined
    const form = command.task === undefined ? own : command.task
    return form ? [[form.name, pageTool(command, form)] as const] : []
  }),
)

export const rememberTool = define(
  'remember',
  'Keep a fact you will need later: it stays in sight.',
  { fact: { type: 'string' } },
  ['fact'],
)

export const askTool = define(
  'ask_human',
  'Ask the person what only they can know or do. Alone, or as the last call.',
  { question: { type: 'string' } },
  ['question'],
)

const doneText = define(
  'done',
  'Finish, alone or as the last call. success: false when the goal cannot be reached; answer says why.',
  { success: { type: 'boolean' }, answer: { type: 'string' } },
  ['success', 'answer'],
)

export const doneName = doneText.name

/** If the order has a schema, the result gets its shape. */
function doneTool(outputSchema: PromptBrief['outputSchema']): PromptToolDefinition {
  if (outputSchema === undefined) return doneText
  return define(
    doneName,
    'Finish, alone or as the last call, with the result. success: false when the goal cannot be ' +
      'reached; answer says why, and result is left out.',
    {
      success: { type: 'boolean' },
      result: simplifySchema(outputSchema).schema,
      answer: { type: 'string' },
    },
    ['success'],
  )
}

/** The tools offered now. Those that change least come first. */
export function toolsFor(brief: PromptBrief): readonly PromptToolDefinition[] {
  const done = doneTool(brief.outputSchema)
  if (brief.isLast) return [done]
  const page = [...pageToolsByName.values()].filter((tool) => isListed(tool, brief))
  return [
    ...page.filter(({ form }) => !form.visual).map(({ definition }) => definition),
    rememberTool,
    ...(brief.mayAsk ? [askTool] : []),
    done,
    ...page.filter(({ form }) => form.visual).map(({ definition }) => definition),
  ]
}

function isListed(tool: PageTool, brief: PromptBrief): boolean {
  if (!brief.listsOnce || isScript(tool) || isLogin(tool)) return isOffered(tool, brief)
  return tool.command.name !== 'screenshot' || brief.mayLook
}

const isLogin = ({ command }: PageTool) => command.name === 'fill_login'
const isScript = ({ command }: PageTool) => command.name === 'run_script'

export function isOffered(tool: PageTool, brief: PromptBrief): boolean {
  const { command, form } = tool
  if (isScript(tool)) return brief.mayScript === true
  if (isLogin(tool)) return brief.logins !== undefined
  if (form.visual) return brief.observation.visual
  return command.name !== 'screenshot' || (brief.mayLook && !brief.observation.showsSecret)
}
