/** `troupe tasks run`: one task from the terminal, its steps on stderr, its result on stdout. */
import { readFileSync } from 'node:fs'
import { CommandFailed, UsageError, type CliCommand, type CliInput } from '../command.ts'
import { callService, callVariables, idPart } from '../service-call.ts'
import { Signals } from '../start/signals.ts'
import { prettyJson } from '../terminal/table.ts'
import { followTask } from './follow.ts'
import { recordText } from './record-text.ts'

const path = '/v1/tools/perform-web-task'

export const runTaskCommand: CliCommand = {
  usage:
    'tasks run GOAL [--url URL] [--provider P] [--model M] [--schema FILE] [--detach] [--json]',
  about: 'Run a web task until it has reached its goal, and print the result as JSON.',
  more: 'Steps are printed to stderr. Ctrl-C cancels the task. The exit code is 0 if it completed.',
  arguments: [1, 1],
  options: {
    url: { value: 'URL', help: 'The page to start on.' },
    provider: { value: 'P', help: 'openai, anthropic …, or acp:<agent> (default: AI_PROVIDER).' },
    model: { value: 'M', help: 'A model of the provider (default: its usual one).' },
    schema: { value: 'FILE', help: 'A file with a JSON Schema for the result.' },
    session: { value: 'ID', help: 'A session of yours to work in (default: a new one).' },
    domains: { value: 'LIST', help: 'The only domains that it may reach, comma-separated.' },
    'max-steps': { value: 'N', help: 'Maximum number of steps.' },
    detach: { help: 'Print its id and leave it running.' },
    json: { help: 'Print the steps as JSON too, one record per line, on stderr.' },
  },
  variables: callVariables,
  examples: [
    `troupe tasks run 'What is on the page?' --url https://example.com --provider openai`,
    `troupe tasks run 'Find the cheapest flight' --schema flight.json --detach`,
  ],
  async run(input) {
    const body = bodyOf(input)
    const { session } = input.values
    const query = session === undefined ? '' : `?sessionId=${idPart(session)}`
    const { id } = await callService<{ id: string }>('POST', `${path}${query}`, body)
    if (input.switches.has('detach')) {
      console.log(id)
      return 0
    }
    return await toItsEnd(id, input.switches.has('json'))
  },
}

async function toItsEnd(id: string, asJson: boolean): Promise<number> {
  const text = asJson ? JSON.stringify : recordText
  const { first: stop } = new Signals()
  const last = await followTask(id, (record) => console.error(text(record)), stop)
  if (last === undefined) {
    await callService('POST', `${path}/${idPart(id)}/cancel`)
    throw new CommandFailed(`${id} was cancelled`)
  }
  if (last.status !== 'COMPLETED') throw new CommandFailed(last.error ?? `${id} is ${last.state}`)
  console.log(prettyJson(last.result ?? {}))
  return 0
}

function bodyOf({ args: [prompt], values }: CliInput): Readonly<Record<string, unknown>> {
  const { url, provider, model, schema, domains, 'max-steps': steps } = values
  if (steps !== undefined && !/^[1-9]\d*$/.test(steps)) {
    throw new UsageError('--max-steps takes a whole number from 1 up')
  }
  return {
    prompt,
    async: true,
    ...(url && { url }),
    ...(provider && { provider }),
    ...(model && { model }),
    ...(schema && { output_schema: readSchema(schema) }),
    ...(domains && { allowed_domains: domains.split(',').map((domain) => domain.trim()) }),
    ...(steps && { max_steps: Number(steps) }),
  }
}

function readSchema(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandFailed(`${file} is not a JSON Schema: ${(error as Error).message}`, error)
  }
}
