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
      'A web task is a goal in words that an AI model reaches in a browser. Start tasks, ' +
      'follow their steps, answer their questions, pause and cancel them.',
    paths: [
      /^\/v1\/tools\/perform-web-task/,
      /pending-interventions$/,
      new RegExp(`${session}agent/(pause|resume|request|respond)`),
    ],
  },
  {
    name: 'Files',
    description:
      'Files of a session: uploads for file inputs, downloads of the browser, and files that ' +
      'agents can read.',
    paths: [new RegExp(`${session}(uploads|downloads|agent/files)`)],
  },
  {
    name: 'Mouse, keyboard and clipboard',
    description:
      'Input by coordinates, as from a real mouse and keyboard. In a session with a desktop ' +
      'it goes through the operating system; in a headless session through CDP.',
    paths: [
      new RegExp(`${session}(mouse|keyboard|clipboard|copy|paste|drag-and-drop|scroll)(/|$)`),
    ],
  },
  {
    name: 'Profiles',
    description:
      'What a browser keeps for later sessions: logins, permissions and other site data, under a ' +
      'name. Sessions begin with one by `browser.profile`.',
    paths: [/^\/v1\/profiles/, new RegExp(`${session}profile/`)],
  },
  {
    name: 'Logins',
    description:
      'User names, passwords and one-time codes for sites. They are filled into forms by `fill_login`, ' +
      'and never shown.',
    paths: [/^\/v1\/logins/],
  },
  {
    name: 'Extensions',
    description:
      'Extensions of Chromium that you have uploaded. A session has those that ' +
      '`browser.extensions` names.',
    paths: [/^\/v1\/extensions/],
  },
  {
    name: 'Live view and tokens',
    description:
      'Links and tokens that give others access to parts of a session, for a limited time.',
    paths: [new RegExp(`${session}(live-tokens|tokens)`), /^\/live\//],
  },
  {
    name: 'Sessions',
    description:
      'A session is a Chromium browser that is yours until it ends. Connect any CDP client to ' +
      'its `cdp_url`, or open its `live_view_url` in a browser.',
    paths: [
      /^\/v1\/sessions$/,
      /^\/v1\/sessions\/all/,
      /^\/v1\/sessions\/\{session_id\}$/,
      new RegExp(`${session}(pages|tags|extend|events)$`),
    ],
  },
  {
    name: 'Recordings and traces',
    description: 'What a session showed, as a video, and what its commands did, step by step.',
    paths: [new RegExp(`${session}(recordings(/|$)|(trace|har)$)`), /^\/recordings\//],
  },
  {
    name: 'Pages and tabs',
    description:
      'Read a page as text and act on its elements by ref, label or selector; manage tabs; ' +
      'run any command by name, or several in one request.',
    paths: [new RegExp(session)],
  },
  {
    name: 'Page tools',
    description:
      'Get the content, a screenshot or a PDF of a page in one request, without creating a ' +
      'session.',
    paths: [/^\/v1\/tools\//],
  },
  {
    name: 'CDP discovery',
    description:
      'The HTTP endpoints of Chromium’s DevTools, for clients that start from an http:// URL.',
    paths: [/^\/json/],
  },
  { name: 'MCP', description: 'The browser as tools for AI agents.', paths: [/^\/mcp/] },
  {
    name: 'Model accounts',
    description: 'Accounts with model providers, used by web tasks: API keys and logins.',
    paths: [/^\/v1\/credentials/],
  },
  {
    name: 'Webhooks',
    description: 'Signed messages about your sessions and tasks, sent to your URL.',
    paths: [/^\/v1\/webhooks/],
  },
  {
    name: 'Usage',
    description: 'What your tenant used: sessions, browser minutes, bytes, tasks, tokens and cost.',
    paths: [/^\/v1\/usage/],
  },
  {
    name: 'Administration',
    description:
      'For keys with the scope `admin`: sessions, keys and hosts of all tenants, and the audit ' +
      'of the service.',
    paths: [/^\/v1\/admin\//, /^\/v1\/audit$/],
  },
  {
    name: 'Service',
    description: 'The service itself: API description, health, metrics, and a demo page.',
    paths: [/^\/$/, /^\/demo$/, /^\/openapi\.json$/, /^\/health\//, /^\/metrics$/, /^\/docs/],
  },
]

const accessTags: readonly Tag[] = [
  {
    name: 'Sign-in',
    description: 'Scoped access: sign-in with codes or passkeys, and a person’s own account.',
    paths: [/^\/v1\/sign-in/, /^\/v1\/me(\/|$)/],
  },
  {
    name: 'People',
    description: 'Scoped access: the people of clients and of the provider.',
    paths: [/^\/v1\/(members|staff)/],
  },
  {
    name: 'Clients and service scopes',
    description: 'Scoped access: the clients, and what is contracted with them.',
    paths: [/^\/v1\/(clients|service-scopes)/],
  },
  {
    name: 'Needs, requests and grants',
    description:
      'Scoped access: why access is needed, the request that others review, the resulting ' +
      'grant, and its tokens.',
    paths: [/^\/v1\/(needs|access-requests|grants|tokens|access|areas)(\/|$)/],
  },
  {
    name: 'Managed changes',
    description: 'Scoped access: technical records are written only through reviewed changes.',
    paths: [/^\/v1\/(changes|change-templates)/],
  },
  {
    name: 'Custom access',
    description: 'Scoped access: views of an area, defined by a change.',
    paths: [/^\/v1\/custom\//],
  },
  {
    name: 'Webhooks of grants',
    description: 'Scoped access: signed messages about records and access, within a grant.',
    paths: [/^\/v1\/webhook-/],
  },
  {
    name: 'Audit of access',
    description: 'Scoped access: a signed chain of who requested, decided and read what.',
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
