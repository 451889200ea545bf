/** Id prefixes of the areas' records. No other object uses them. */
import { z } from 'zod'
import { isId, newId } from '../../ids.ts'
import type { AreaKey } from './areas.ts'

export const areaPrefixes = {
  contacts: 'con',
  opportunities: 'opp',
  tasks: 'wrk',
  onboarding: 'onb',
  'seo-audits': 'seo',
  reports: 'rpt',
  'content-gaps': 'gap',
  'market-scans': 'mks',
  projects: 'prj',
  deployments: 'dpl',
  domains: 'dom',
  monitoring: 'mon',
  'workflow-actions': 'wfa',
  enrichment: 'enr',
  extraction: 'ext',
  'ai-assistance': 'ais',
} as const satisfies Readonly<Record<AreaKey, string>>

export const newRecordId = (area: AreaKey, nowMs?: number): string =>
  newId(areaPrefixes[area], nowMs)

export const isRecordId = (area: AreaKey, text: string): boolean => isId(areaPrefixes[area], text)

/**
 * A reference to a record of one area. The schema checks the form only, not that the record exists.
 */
export const recordId = (area: AreaKey) =>
  z.string().refine((text) => isRecordId(area, text), {
    message: `must be the id of a record of ${area} (${areaPrefixes[area]}_…)`,
  })
