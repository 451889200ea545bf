/** The commands of the catalogue that are meant for agents, as MCP tools. */
import { commandCatalogue } from '../../../proto/commands/catalogue.ts'
import type { Command, ToolForm } from '../../../proto/commands/command.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { answerText } from './answer-text.ts'
import { inputSchema, outputSchema } from './schema.ts'
import type { JsonObject, ServiceClient } from '../service.ts'
import { screenshotText, type ScreenshotGeometry } from './screenshot-text.ts'
import {
  toolAnnotations,
  type ToolAnswer,
  type ToolArguments,
  type ToolContext,
  type McpTool,
} from './tool.ts'
import { mcpLimits } from '../limits.ts'

export const pageCommandTools = commandTools('page')
export const osCommandTools = commandTools('os')

function commandTools(transport: Command['transport']): readonly McpTool[] {
  return commandCatalogue.flatMap((command: Command) =>
    command.tool && command.transport === transport ? [commandTool(command, command.tool)] : [],
  )
}

export function commandTool(command: Command, form: ToolForm): McpTool {
  const { readOnly, name, title, modelHelp } = form
  const safe = command.repeat === 'safe'
  return {
    definition: {
      name,
      title,
      description: modelHelp,
      annotations: toolAnnotations({
        reads: readOnly,
        destroys: form.additive !== true,
        safe,
        open: true,
      }),
      inputSchema: inputSchema(form.input ?? command.input),
      outputSchema: outputSchema(form.output ?? command.output),
    },
    async run({ session, input }, toolContext) {
      const whole = { ...form.extraInput?.(input), ...input }
      const done = await inSession(session, toolContext, safe, (id) =>
        toolContext.service.run(id, command.name, whole, toolContext.signal),
      )
      return answerOf(done, toolContext.hasPageMarks)
    },
  }
}

interface CommandDone {
  readonly session: string
  readonly note?: string
  readonly output: JsonObject
}

/**
 * If the default session has ended meanwhile, it is replaced by a new one, and the command is
 * repeated there if it makes sense on an empty page.
 */
async function inSession(
  named: ToolArguments['session'],
  { defaultSession, service }: ToolContext,
  repeatable: boolean,
  work: (session: string) => Promise<JsonObject>,
): Promise<CommandDone> {
  if (named !== undefined) return { session: named, output: await work(named) }
  const choice = await defaultSession.enter()
  try {
    return { ...choice, output: await work(choice.session) }
  } catch (error) {
    if (!defaultSession.replace || !(await isOver(error, choice.session, service))) throw error
    const next = await defaultSession.replace(choice.session)
    const note =
      `Session ${choice.session} has ended: ${(error as Error).message} Session ` +
      `${next.session} replaces it, with an empty page.`
    if (!repeatable) throw new ServiceError('session_ended', `${note} Navigate first.`)
    return { session: next.session, note, output: await work(next.session) }
  }
}

/**
 * True if the session has ended, or if the service does not know it, for example after its data was
 * deleted.
 */
async function isOver(error: unknown, session: string, service: ServiceClient): Promise<boolean> {
  if (!(error instanceof ServiceError)) return false
  if (error.type === 'session_ended') return true
  return error.type === 'not_found' && !(await service.hasBrowser(session))
}

function answerOf({ session, note, output }: CommandDone, hasPageMarks: boolean): ToolAnswer {
  const { image: data, ...rest } = output
  const image = typeof data === 'string' && {
    data: checkImageSize(data),
    mimeType: String(rest['type']),
  }
  const words = image
    ? screenshotText(rest as unknown as ScreenshotGeometry)
    : answerText(rest, hasPageMarks)
  return {
    text: note === undefined ? words : `${note}\n\n${words}`,
    structured: { session, ...rest },
    ...(image && { image }),
  }
}

/**
 * Model providers refuse larger pictures, so the tool answers with an error that says what to do.
 */
function checkImageSize(base64: string): string {
  if (base64.length <= mcpLimits.mcpImageChars) return base64
  throw new ServiceError(
    'too_large',
    `The picture has ${base64.length} characters of base64, but at most ` +
      `${mcpLimits.mcpImageChars} can be sent: take one of an element, or use snapshot.`,
  )
}
