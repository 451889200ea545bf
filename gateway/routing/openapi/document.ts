/** Generates the OpenAPI document from the table of routes. */
import { version } from '../../../runtime/lib/package.ts'
import type { Route } from '../route.ts'
import { errorResponses, errorSchema } from './errors.ts'
import type { Json } from './json.ts'
import { operationOf } from './operation.ts'
import { securitySchemes } from './security.ts'
import { shareSchemas, type Operations, type Shared } from './shared-schemas.ts'
import { referenceTags, tagsOf } from './tags.ts'

/** OpenAPI cannot describe sockets, so this text does. */
const description = `Self-hosted cloud browsers. A session is a warm Chromium: connect any CDP \
client to its \`cdp_url\`, or open its \`live_view_url\` in a browser. A web task is a goal in words \
that an AI model reaches in a session. The WebSocket \`/ws?taskId=…&since=0&apiKey=…\` sends \
its steps as JSON, or with \`sessionId=…\` the steps of all tasks of a session.

Every error has one shape, \`{"error":{"code","type","message","request_id"}}\`: \`type\` is from a \
closed list, \`message\` says what is wrong and what to do next. The [guides](/docs) show how to use \
the routes together.`

/** The route table of a gateway does not change while it runs. */
const pathsOfTables = new WeakMap<readonly Route[], Shared>()

export function openApi(routes: readonly Route[], serverUrl: string): Json {
  const { paths, schemas } = pathsOfTables.get(routes) ?? shareSchemas(pathsOf(routes))
  pathsOfTables.set(routes, { paths, schemas })
  const used = new Set(routes.filter(isPublic).flatMap(({ path }) => tagsOf(path)))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Troupe',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: referenceTags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: { Error: errorSchema, ...schemas },
      responses: errorResponses,
      securitySchemes,
    },
  }
}

const isPublic = ({ isInternal }: Route): boolean => isInternal !== true

function pathsOf(routes: readonly Route[]): Operations {
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes.filter(isPublic)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return paths
}
