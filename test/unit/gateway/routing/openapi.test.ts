/**
 * Goal: `/openapi.json` says of every public route what a caller needs, and nothing that is not so.
 * Method: the document of a gateway with all its routes, held against its own schemas and against
 * the recommended rules of Redocly's linter.
 */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { errorTypes } from '../../../../proto/errors.ts'
import { playService } from '../../../helpers/gateway/gateway.ts'

type Json = Readonly<Record<string, unknown>>

interface Media {
  readonly schema?: Json
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly Json[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Media>>; readonly $ref?: string }>
  >
}

interface Described {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: { readonly Error: Json }
    readonly responses: Readonly<
      Record<string, { readonly content: Readonly<Record<string, Media>> }>
    >
    readonly securitySchemes: Json
  }
}

const service = await playService()
t.teardown(() => service.close())
const text = await (await fetch(`${service.gateway.url}/openapi.json`)).text()
const document = JSON.parse(text) as Described
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
)

t.test('every route has a chapter, a heading, a text and an id of its own', async (t) => {
  t.ok(operations.length > 200)
  const chapters = new Set(document.tags.map(({ name }) => name))
  for (const { name, operation } of operations) {
    t.equal(operation.tags.length, 1, `${name}: add its path to a tag of openapi/tags.ts`)
    t.ok(chapters.has(operation.tags[0] ?? ''), name)
    t.match(operation.summary, /^[A-Z].*[^.]$/, name)
    t.ok(operation.description, `${name}: give its route a description`)
  }
  const ids = operations.map(({ operation }) => operation.operationId)
  t.equal(new Set(ids).size, ids.length, 'no id is used twice')
  const used = new Set(operations.flatMap(({ operation }) => operation.tags))
  t.same(
    [...chapters].filter((name) => !used.has(name)),
    [],
    'no chapter is empty',
  )
  for (const { name, description } of document.tags) t.ok(description, name)
})

t.test('every JSON body and answer has an example that its schema allows', async (t) => {
  const ajv = new Ajv2020({ strict: false, formats: {}, validateFormats: false })
  const check = (where: string, { schema, example }: Media) => {
    if (schema === undefined && example !== undefined) return
    t.ok(schema, `${where} has a schema, or an example`)
    const isValid = ajv.validate({ ...schema, components: document.components }, example)
    const wrong = ajv.errorsText()
    t.ok(isValid, `${where}: ${wrong}; give its route an example: ${JSON.stringify(example)}`)
  }
  for (const { name, operation } of operations) {
    const body = operation.requestBody?.content['application/json']
    if (body) check(`${name}, body`, body)
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const answer = content?.['application/json']
      if (!answer || status === 'default' || name === 'GET /openapi.json') continue
      if (name === 'POST /mcp') continue // JSON-RPC, which MCP describes.
      check(`${name}, ${status}`, answer)
    }
  }
})

t.test('every error has the one shape, and names the types of its status', async (t) => {
  const { responses, schemas } = document.components
  const ajv = new Ajv2020({ strict: false })
  for (const [name, { content }] of Object.entries(responses)) {
    const { example } = content['application/json']!
    t.ok(ajv.validate(schemas.Error, example), `${name}: ${ajv.errorsText()}`)
    const { error } = example as {
      readonly error: { readonly code: number; readonly type: string }
    }
    t.equal(`Error${error.code}`, name)
    t.ok((errorTypes as readonly string[]).includes(error.type), `${name}: ${error.type}`)
  }
  for (const { name, operation } of operations) {
    const refs = Object.values(operation.responses).flatMap(({ $ref = [] }) => $ref)
    for (const ref of refs) t.ok(responses[ref.split('/').at(-1) ?? ''], `${name}: ${ref}`)
    if (operation.security.length > 0) t.ok(operation.responses['401'], `${name} can answer 401`)
  }
})

t.test('Redocly finds nothing', async (t) => {
  const config = await createConfig({
    extends: ['recommended'],
    // The contract has /v1/sessions/all beside /v1/sessions/{session_id}; the router takes the first.
    rules: { 'no-ambiguous-paths': 'off' },
  })
  const problems = await lintFromString({ source: text, config })
  const found = problems.map(({ ruleId, message, location }) => {
    return `${ruleId}: ${message} ${location.map(({ pointer }) => pointer).join(' ')}`
  })
  t.same([...new Set(found)].slice(0, 40), [])
})
