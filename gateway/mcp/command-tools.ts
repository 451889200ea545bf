/** The commands of the catalogue that are meant for agents, as MCP tools. */
import { catalogue } from '../../proto/commands/catalogue.ts'
import type { Command, ToolForm } from '../../proto/commands/command.ts'
import { textOf } from '../../proto/commands/output-text.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { inputSchema, outputSchema } from './schema.ts'
import type { Output, Service } from './service.ts'
import { pictureText, type Picture } from './text.ts'
import { annotations, type Answer, type Arguments, type Desk, type Tool } from './tool.ts'

export const pageTools = toolsThat('page')
export const osTools = toolsThat('os')

function toolsThat(travel: Command['travels']): readonly Tool[] {
  return catalogue.flatMap((command: Command) =>
    command.tool && command.travels === travel ? [commandTool(command, command.tool)] : [],
  )
}

function commandTool(command: Command, form: ToolForm): Tool {
  const { reads, name, title, teaches } = form
  const safe = command.repeat === 'safe'
  return {
    definition: {
      name,
      title,
      description: teaches,
      annotations: annotations({ reads, destroys: form.adds !== true, safe, open: true }),
      inputSchema: inputSchema(form.input ?? command.input),
      outputSchema: outputSchema(command.output),
    },
    async run({ session, input }, desk) {
      const whole = { ...form.besides?.(input), ...input }
      const done = await inSession(session, desk, safe, (id) =>
        desk.service.run(id, command.name, whole, desk.signal),
      )
      return answerOf(done)
    },
  }
}

interface Done {
  readonly session: string
  readonly note?: string
  readonly output: Output
}

/**
 * If our own session has ended meanwhile, it is replaced by a new one, and the command is repeated
 * there if it makes sense on an empty page.
 */
async function inSession(
  named: Arguments['session'],
  { home, service }: Desk,
  repeatable: boolean,
  work: (session: string) => Promise<Output>,
): Promise<Done> {
  if (named !== undefined) return { session: named, output: await work(named) }
  const stay = await home.enter()
  try {
    return { ...stay, output: await work(stay.session) }
  } catch (error) {
    if (!home.replace || !(await isOver(error, stay.session, service))) throw error
    const next = await home.replace(stay.session)
    const note =
      `Session ${stay.session} has ended: ${(error as Error).message} ` +
      `Session ${next.session} has taken its place, with an empty page.`
    if (!repeatable) throw new ServiceError('session_ended', `${note} Navigate first.`)
    return { session: next.session, note, output: await work(next.session) }
  }
}

/** True if the session ended, or if a service that was set up again does not know it. */
async function isOver(error: unknown, session: string, service: Service): Promise<boolean> {
  if (!(error instanceof ServiceError)) return false
  if (error.type === 'session_ended') return true
  return error.type === 'not_found' && !(await service.isRunning(session))
}

function answerOf({ session, note, output }: Done): Answer {
  const { image: data, ...rest } = output
  const image = typeof data === 'string' && { data: bounded(data), mimeType: String(rest['type']) }
  const words = image ? pictureText(rest as unknown as Picture) : textOf(rest)
  return {
    text: note === undefined ? words : `${note}\n\n${words}`,
    structured: { session, ...rest },
    ...(image && { image }),
  }
}

/**
 * Models' services refuse larger pictures, so the tool answers with an error that says what to do.
 */
function bounded(base64: string): string {
  if (base64.length <= limits.mcpImageChars) return base64
  throw new ServiceError(
    'too_large',
    `The picture has ${base64.length} characters of base64, and ${limits.mcpImageChars} are sent at ` +
      'most: take one of an element, or use snapshot.',
  )
}
