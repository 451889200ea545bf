/**
 * The sixteen platform areas of spec.md, in four groups. The record schema of each area is in
 * the folder of its group, one file per area.
 */
export const areaGroups = {
  client_context: {
    label: 'Client context',
    areas: ['contacts', 'opportunities', 'tasks', 'onboarding'],
  },
  marketing_work: {
    label: 'Marketing work',
    areas: ['seo-audits', 'reports', 'content-gaps', 'market-scans'],
  },
  software_delivery: {
    label: 'Software delivery',
    areas: ['projects', 'deployments', 'domains', 'monitoring'],
  },
  automation_and_ai: {
    label: 'Automation and AI',
    areas: ['workflow-actions', 'enrichment', 'extraction', 'ai-assistance'],
  },
} as const

export type AreaGroup = keyof typeof areaGroups
export type AreaKey = (typeof areaGroups)[AreaGroup]['areas'][number]
export const areaKeys = Object.values(areaGroups).flatMap(({ areas }): readonly AreaKey[] => areas)

export const areaActions = ['read', 'write', 'delete', 'run', 'export', 'propose'] as const
export type AreaAction = (typeof areaActions)[number]

/** A view defined by custom access, for example `custom/newsletter-list`. */
export type CustomArea = `custom/${string}`
export const customSlug = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/**
 * The managed backlog. A program with `changes:propose` can propose changes but not decide on them.
 */
export const changeBacklog = 'changes'
/** Everything that a permission can name. */
export type PermittedArea = AreaKey | CustomArea | typeof changeBacklog

/** A token scope: `<area>:<action>`. */
export type ScopeName = `${PermittedArea}:${AreaAction}`

export type Sensitivity = 'normal' | 'personal' | 'technical'

/** What policy and permissions need to know about an area. */
export interface AreaRules {
  readonly label: string
  /** The actions that can be granted; each of them is needed for a route. */
  readonly actions: readonly AreaAction[]
  /** Records of `technical` areas are written only by completed changes. */
  readonly sensitivity: Sensitivity
}

const kept: readonly AreaAction[] = ['read', 'write', 'delete']
const technical: readonly AreaAction[] = ['read']
const job: readonly AreaAction[] = ['read', 'run']

export const areaRules: Readonly<Record<AreaKey, AreaRules>> = {
  contacts: { label: 'Contacts', actions: kept, sensitivity: 'personal' },
  opportunities: { label: 'Opportunities', actions: kept, sensitivity: 'personal' },
  tasks: { label: 'Tasks', actions: kept, sensitivity: 'normal' },
  onboarding: { label: 'Onboarding', actions: kept, sensitivity: 'normal' },
  'seo-audits': { label: 'SEO audits', actions: job, sensitivity: 'normal' },
  reports: { label: 'Reports', actions: ['read', 'export'], sensitivity: 'normal' },
  'content-gaps': { label: 'Content gaps', actions: kept, sensitivity: 'normal' },
  'market-scans': { label: 'Market scans', actions: job, sensitivity: 'normal' },
  projects: { label: 'Projects', actions: technical, sensitivity: 'technical' },
  deployments: { label: 'Deployments', actions: technical, sensitivity: 'technical' },
  domains: { label: 'Domains', actions: technical, sensitivity: 'technical' },
  monitoring: { label: 'Monitoring', actions: technical, sensitivity: 'technical' },
  'workflow-actions': { label: 'Workflow actions', actions: job, sensitivity: 'technical' },
  enrichment: { label: 'Enrichment', actions: job, sensitivity: 'personal' },
  extraction: { label: 'Extraction', actions: job, sensitivity: 'normal' },
  'ai-assistance': { label: 'AI assistance', actions: job, sensitivity: 'personal' },
}

export const technicalAreas = [
  'projects',
  'deployments',
  'domains',
  'monitoring',
  'workflow-actions',
] as const satisfies readonly AreaKey[]
export type TechnicalArea = (typeof technicalAreas)[number]

export const isAreaKey = (text: string): text is AreaKey => Object.hasOwn(areaRules, text)

export const isCustomArea = (text: string): text is CustomArea =>
  text.startsWith('custom/') && customSlug.test(text.slice('custom/'.length))
export const customAreaOf = (slug: string): CustomArea => `custom/${slug}`
export const customAreaSlug = (area: CustomArea): string => area.slice('custom/'.length)

/**
 * `personal`, because a custom view may show personal data: a change decides which fields it has.
 */
const customRules: AreaRules = {
  label: 'Custom access',
  actions: ['read'],
  sensitivity: 'personal',
}
const backlogRules: AreaRules = { label: 'Changes', actions: ['propose'], sensitivity: 'technical' }

export function areaRulesOf(area: PermittedArea): AreaRules {
  if (area === changeBacklog) return backlogRules
  return isAreaKey(area) ? areaRules[area] : customRules
}

export const isPermittedArea = (text: string): text is PermittedArea =>
  isAreaKey(text) || isCustomArea(text) || text === changeBacklog
