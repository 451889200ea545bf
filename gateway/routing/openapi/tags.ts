/**
 * The chapters of the API reference. A route belongs to the first tag with a path that its own
 * path matches; `openapi.test.ts` fails for a route without one.
 */
import { areaGroups } from '../../../proto/access/areas/areas.ts'

interface Tag {
  readonly name: string
  readonly description: string
  readonly paths: readonly RegExp[]
}

const session = String.raw`^/v1/sessions/\{session_id\}/`

const browserTags: readonly Tag[] = [
  {
    name: 'Web tasks',
    description:
      'A goal in words that an AI model reaches in a browser: start one, follow its steps, answer ' +
      'what it asks, pause and cancel it.',
    paths: [
      /^\/v1\/tools\/perform-web-task/,
      /pending-interventions$/,
      new RegExp(`${session}agent/(pause|resume|request|respond)`),
    ],
  },
  {
    name: 'Files',
    description:
      'Files of a session: uploads for file inputs, what the browser has downloaded, and files ' +
      'that agents may read.',
    paths: [new RegExp(`${session}(uploads|downloads|agent/files)`)],
  },
  {
    name: 'Mouse, keyboard and clipboard',
    description:
      'Input by coordinates, as a hand would give it. On a session with a desktop it goes through ' +
      'the operating system; on a headless one through CDP.',
    paths: [
      new RegExp(`${session}(mouse|keyboard|clipboard|copy|paste|drag-and-drop|scroll)(/|$)`),
    ],
  },
  {
    name: 'Live view and tokens',
    description: 'Links and tokens that give a part of a session to somebody, for a while.',
    paths: [new RegExp(`${session}(live-tokens|tokens)`), /^\/live\//],
  },
  {
    name: 'Sessions',
    description:
      'A session is a warm Chromium that is yours until it ends. Attach any CDP client to its ' +
      '`cdp_url`, or open its `live_view_url` in a browser.',
    paths: [
      /^\/v1\/sessions$/,
      /^\/v1\/sessions\/all/,
      /^\/v1\/sessions\/\{session_id\}$/,
      new RegExp(`${session}(pages|tags|extend)$`),
    ],
  },
  {
    name: 'Pages and tabs',
    description:
      'Read a page as text and act on its elements by ref, label or selector; tabs; any command ' +
      'by its name, or several in one request.',
    paths: [new RegExp(session)],
  },
  {
    name: 'Page tools',
    description: 'The content, picture or PDF of a page in one request, without a session.',
    paths: [/^\/v1\/tools\//],
  },
  {
    name: 'CDP discovery',
    description: 'What Chromium serves beside its socket, for clients that start from http://.',
    paths: [/^\/json/],
  },
  { name: 'MCP', description: 'The browser as tools for agents.', paths: [/^\/mcp/] },
  {
    name: 'Model accounts',
    description: 'Accounts with the providers of models, for web tasks: API keys and logins.',
    paths: [/^\/v1\/credentials/],
  },
  {
    name: 'Webhooks',
    description: 'Signed messages about your sessions and tasks, sent to an address of yours.',
    paths: [/^\/v1\/webhooks/],
  },
  {
    name: 'Administration',
    description: 'For keys with the scope `admin`: all tenants, and who used the service.',
    paths: [/^\/v1\/admin\//, /^\/v1\/audit$/],
  },
  {
    name: 'Service',
    description: 'The service itself: this description, health, metrics, a page to try things on.',
    paths: [/^\/$/, /^\/demo$/, /^\/openapi\.json$/, /^\/health\//, /^\/metrics$/, /^\/docs/],
  },
]

const accessTags: readonly Tag[] = [
  {
    name: 'Sign-in',
    description: 'Scoped access: people signing in, with codes or passkeys, and their own things.',
    paths: [/^\/v1\/sign-in/, /^\/v1\/me(\/|$)/],
  },
  {
    name: 'People',
    description: 'Scoped access: the people of clients and of the provider.',
    paths: [/^\/v1\/(members|staff)/],
  },
  {
    name: 'Clients and service scopes',
    description: 'Scoped access: who is served, and what is contracted.',
    paths: [/^\/v1\/(clients|service-scopes)/],
  },
  {
    name: 'Needs, requests and grants',
    description:
      'Scoped access: why access is needed, the request that others review, the grant that comes ' +
      'of it, and its tokens.',
    paths: [/^\/v1\/(needs|access-requests|grants|tokens|access|areas)(\/|$)/],
  },
  {
    name: 'Managed changes',
    description: 'Scoped access: technical records are written by reviewed changes alone.',
    paths: [/^\/v1\/(changes|change-templates)/],
  },
  {
    name: 'Custom access',
    description: 'Scoped access: views of an area that a change has defined.',
    paths: [/^\/v1\/custom\//],
  },
  {
    name: 'Webhooks of grants',
    description: 'Scoped access: signed messages about records and access, within a grant.',
    paths: [/^\/v1\/webhook-/],
  },
  {
    name: 'Audit of access',
    description: 'Scoped access: a signed chain of who asked for, decided and read what.',
    paths: [/^\/v1\/audit-/],
  },
]

const areaTags: readonly Tag[] = Object.values(areaGroups).map(({ label, areas }) => ({
  name: `Records: ${label}`,
  description: `Scoped access: records of the areas ${areas.join(', ')}.`,
  paths: [new RegExp(`^/v1/(${areas.join('|')})(/|$)`)],
}))

/** In the order in which a reader needs them. */
const order = ['Sessions', 'Pages and tabs', 'Mouse, keyboard and clipboard', 'Files']
const all: readonly Tag[] = [...browserTags, ...accessTags, ...areaTags]
const isFirst = ({ name }: Tag) => order.includes(name)
const ordered = [
  ...order.map((name) => all.find((tag) => tag.name === name)!),
  ...all.filter((tag) => !isFirst(tag)),
]

export const referenceTags = ordered.map(({ name, description }) => ({ name, description }))

/** Empty if no tag matches the path. */
export function tagsOf(path: string): readonly string[] {
  const found = all.find(({ paths }) => paths.some((pattern) => pattern.test(path)))
  return found ? [found.name] : []
}
