/** A request as a scripted model reads it, and the checks of a strict provider. */
import type { IncomingHttpHeaders } from 'node:http'
import { Ajv } from 'ajv'

export interface OfferedTool {
  readonly name: string
  readonly description: string
  /** Empty when none were given. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface ChatRequest {
  /** 1 for the first request of the server. */
  readonly n: number
  /** Chat Completions, or OpenAI's Responses. */
  readonly api: 'chat' | 'responses'
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly model: string
  readonly stream: boolean
  /** All system messages. */
  readonly system: string
  /** All text of all user messages, in order. */
  readonly user: string
  /** `data:` URLs, in order. */
  readonly pictures: readonly string[]
  readonly tools: readonly OfferedTool[]
  readonly body: Readonly<Record<string, unknown>>
  /** The raw body: search this for what must never be sent. */
  readonly raw: string
  /** Aborted when the client closes its connection before it has its answer. */
  readonly signal: AbortSignal
}

export interface RequestRules {
  /** JSON Schema keywords that are refused besides those that our tools may never use. */
  readonly refusedWords: readonly string[]
  /**
   * The deepest nesting of objects and arrays, counting the parameters themselves as the first
   * level.
   */
  readonly depthMax: number
}

type Json = Readonly<Record<string, unknown>>
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The texts and pictures of the messages of one role, in the forms of both APIs. */
function partsOf(messages: unknown, roles: readonly string[]) {
  const texts: string[] = []
  const pictures: string[] = []
  for (const message of listOf(messages)) {
    if (!roles.includes(String(message['role']))) continue
    if (typeof message['content'] === 'string') texts.push(message['content'])
    for (const part of listOf(message['content'])) {
      if (part['type'] === 'text' || part['type'] === 'input_text') texts.push(String(part['text']))
      const image = part['image_url']
      if (image !== undefined) pictures.push(String(isObject(image) ? image['url'] : image))
    }
  }
  return { texts, pictures }
}

function toolsOf(body: Json): OfferedTool[] {
  return listOf(body['tools']).map((tool) => {
    const spec = isObject(tool['function']) ? tool['function'] : tool
    return {
      name: String(spec['name']),
      description: String(spec['description'] ?? ''),
      parameters: isObject(spec['parameters']) ? spec['parameters'] : {},
    }
  })
}

type Envelope = Pick<ChatRequest, 'n' | 'api' | 'path' | 'headers' | 'raw' | 'signal'>

/** Reads leniently; `problemsOf` reports what is wrong. */
export function readRequest(body: Json, envelope: Envelope): ChatRequest {
  const messages = body['messages'] ?? body['input']
  const user = partsOf(messages, ['user'])
  const system = partsOf(messages, ['system', 'developer']).texts
  if (typeof body['instructions'] === 'string') system.unshift(body['instructions'])
  return {
    ...envelope,
    model: String(body['model'] ?? ''),
    stream: body['stream'] === true,
    system: system.join('\n'),
    user: user.texts.join('\n'),
    pictures: user.pictures,
    tools: toolsOf(body),
    body,
  }
}

const ajv = new Ajv({ strict: false })

/** Not every provider accepts these, so our tools must not use them. */
const neverFlat = ['$ref', '$defs', 'definitions', 'anyOf', 'oneOf', 'allOf', 'not', 'if'].concat([
  'then',
  'else',
  'patternProperties',
  'prefixItems',
  'dependentSchemas',
])

function schemaProblems(schema: unknown, at: string, rules: RequestRules, depth: number): string[] {
  if (!isObject(schema)) return [`${at}: is no schema`]
  const type = schema['type']
  const problems = [...neverFlat, ...rules.refusedWords]
    .filter((word) => word in schema)
    .map((word) => `${at}: ${word} is not taken`)
  if (typeof type !== 'string') problems.push(`${at}: type must be one word`)
  if (type !== 'object' && type !== 'array') return problems
  if (depth > rules.depthMax) problems.push(`${at}: is ${depth} deep`)
  if (type === 'array') {
    return problems.concat(schemaProblems(schema['items'], `${at}[]`, rules, depth + 1))
  }
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  if (Object.keys(properties).length === 0) problems.push(`${at}: object without properties`)
  for (const [name, property] of Object.entries(properties)) {
    problems.push(...schemaProblems(property, `${at}.${name}`, rules, depth + 1))
  }
  return problems
}

/** OpenAI's limits for a function's name and description. */
const toolName = /^[A-Za-z0-9_-]{1,64}$/
const descriptionChars = 1_024

function toolProblems(tools: readonly OfferedTool[], rules: RequestRules): string[] {
  const names = tools.map((tool) => tool.name)
  const problems = names
    .filter((name, i) => names.indexOf(name) !== i)
    .map((name) => `tool ${name} is offered twice`)
  for (const { name, description, parameters } of tools) {
    if (!toolName.test(name)) problems.push(`tool ${name}: bad name`)
    if (description === '') problems.push(`tool ${name}: no description`)
    if (description.length > descriptionChars) problems.push(`tool ${name}: long description`)
    // A tool without input may have no schema.
    if (Object.keys(parameters).length === 0) continue
    if (parameters['type'] !== 'object') problems.push(`tool ${name}: parameters are no object`)
    if (ajv.validateSchema(parameters) !== true) problems.push(`tool ${name}: ${ajv.errorsText()}`)
    problems.push(...schemaProblems(parameters, name, rules, 1))
  }
  return problems
}

function messageProblems(body: Json): string[] {
  const messages = listOf(body['messages'] ?? body['input'])
  const problems = messages.length === 0 ? ['no messages'] : []
  const asked = new Set<unknown>()
  for (const [i, message] of messages.entries()) {
    const role = String(message['role'])
    const calls = listOf(message['tool_calls'])
    const content = message['content']
    if (!/^(system|developer|user|assistant|tool)$/.test(role)) problems.push(`role ${role}`)
    if (role === 'system' && i > 0) problems.push('a system message that is not the first')
    for (const each of calls) asked.add(each['id'])
    if (role === 'tool' && !asked.has(message['tool_call_id'])) {
      problems.push(`message ${i}: answers a call that nobody made`)
    }
    const isEmpty = content === null || content === undefined || content === ''
    if (isEmpty && calls.length === 0) problems.push(`message ${i}: no content`)
    if (Array.isArray(content) && content.length === 0) problems.push(`message ${i}: no parts`)
  }
  return problems
}

/** The reasons for which a strict provider would answer 400; empty for a correct request. */
export function problemsOf(request: ChatRequest, rules: RequestRules): string[] {
  const { body } = request
  const problems = [...messageProblems(body), ...toolProblems(request.tools, rules)]
  if (request.model === '') problems.push('no model')
  if (/\p{Surrogate}/u.test(request.system + request.user)) problems.push('lone surrogate')
  if ('max_tokens' in body && 'max_completion_tokens' in body) problems.push('two limits of tokens')
  for (const picture of request.pictures) {
    if (!/^data:image\/(jpeg|png|webp);base64,[A-Za-z0-9+/]+=*$/.test(picture)) {
      problems.push(`picture ${picture.slice(0, 40)}`)
    }
  }
  return problems
}
