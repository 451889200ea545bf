/** The order in which guides and the READMEs of folders are listed. */
import { guideNames, guidesPath, insideFile, insidePath } from './repository-pages.ts'

export interface GuideLink {
  readonly href: string
  readonly label: string
  readonly lead: string
}

export interface NavGroup {
  readonly label: string
  readonly links: readonly GuideLink[]
}

interface Entry {
  readonly name: string
  readonly label: string
  readonly lead: string
}

const groups: readonly { readonly label: string; readonly guides: readonly Entry[] }[] = [
  {
    label: 'Start',
    guides: [
      { name: 'first-session', label: 'First session', lead: 'Create, drive, watch, end.' },
      { name: 'cdp-clients', label: 'CDP clients', lead: 'Node, Python, Go, Java, .NET.' },
      { name: 'recipes', label: 'Recipes', lead: 'PDFs, many pages at once, Crawlee.' },
    ],
  },
  {
    label: 'Use a session',
    guides: [
      { name: 'setup', label: 'Set up a browser', lead: 'Device, place, language, rights.' },
      { name: 'extensions', label: 'Extensions', lead: 'Chromium with what you add to it.' },
      { name: 'os-input', label: 'OS input', lead: 'Mouse and keyboard of a desktop.' },
      { name: 'scripts', label: 'Scripts', lead: 'A function for Puppeteer, in one request.' },
      { name: 'files', label: 'Files', lead: 'Uploads, downloads, files for agents.' },
      { name: 'live-view', label: 'Live view', lead: 'Watch, take over, share.' },
      { name: 'logins', label: 'Logins', lead: 'Be logged in again next time.' },
      { name: 'proxies', label: 'Proxies and networks', lead: 'Where traffic goes.' },
      { name: 'recordings', label: 'Recordings', lead: 'A session as a video.' },
      { name: 'traces', label: 'Traces', lead: 'What happened, as one file.' },
      { name: 'ci', label: 'Test suites in CI', lead: 'Browsers for every worker.' },
    ],
  },
  {
    label: 'Agents',
    guides: [
      { name: 'tasks', label: 'Web tasks', lead: 'A goal in words, carried out by a model.' },
      { name: 'mcp', label: 'MCP', lead: 'The browser as tools.' },
      { name: 'shell', label: 'From a shell', lead: 'The browser as commands.' },
    ],
  },
  {
    label: 'Run it',
    guides: [
      { name: 'several-hosts', label: 'Several hosts', lead: 'The same programs, more machines.' },
      { name: 'operations', label: 'Operations', lead: 'Proxies, upgrades, backups, capacity.' },
      { name: 'limits', label: 'Limits', lead: 'Every limit, and its setting.' },
      { name: 'agencies', label: 'Agencies', lead: 'Who decides, with one, two or five people.' },
      { name: 'security', label: 'Security', lead: 'Keys, isolation, audit.' },
    ],
  },
  {
    label: 'Decide',
    guides: [
      { name: 'faq', label: 'Questions and answers', lead: 'What people ask most.' },
      { name: 'comparison', label: 'Compared with others', lead: 'Fair, and measured.' },
    ],
  },
]

const inside: readonly Entry[] = [
  { name: 'README', label: 'Overview', lead: '' },
  { name: 'gateway', label: 'Gateway', lead: '' },
  { name: 'gateway/access', label: 'Scoped access', lead: '' },
  { name: 'actors', label: 'Actors', lead: '' },
  { name: 'node-agent', label: 'Node agent', lead: '' },
  { name: 'runtime', label: 'Runtime', lead: '' },
  { name: 'runtime/cli', label: 'Commands and settings', lead: '' },
  { name: 'proto', label: 'The wire', lead: '' },
  { name: 'test/bench', label: 'Figures', lead: '' },
  { name: 'SECURITY', label: 'Security boundaries', lead: '' },
  { name: 'CHANGELOG', label: 'Changes', lead: '' },
]

/** A guide whose file does not exist is left out; a guide that no group lists comes last. */
export function navigation(): readonly NavGroup[] {
  const names = guideNames()
  const known = groups.map(({ label, guides }) => ({
    label,
    links: guides.filter(({ name }) => names.includes(name)).map(guideLink),
  }))
  const named = new Set(groups.flatMap(({ guides }) => guides.map(({ name }) => name)))
  const others = names.filter((name) => !named.has(name)).map(titled)
  const howItWorks = inside.filter(({ name }) => insideFile(name) !== undefined)
  return [
    ...known,
    { label: 'More', links: others.map(guideLink) },
    {
      label: 'How it works',
      links: howItWorks.map(({ name, ...rest }) => ({ href: `${insidePath}/${name}`, ...rest })),
    },
  ].filter(({ links }) => links.length > 0)
}

const guideLink = ({ name, label, lead }: Entry): GuideLink => ({
  href: `${guidesPath}/${name}`,
  label,
  lead,
})

const titled = (name: string): Entry => {
  const words = name.replaceAll('-', ' ')
  return { name, label: words.charAt(0).toUpperCase() + words.slice(1), lead: '' }
}
