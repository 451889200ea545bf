/** Usage: what sessions and tasks used over time. */
import type { ConsoleSection } from '../../page.ts'
import { readUsageFile, showUsage } from './usage-page.tsx'

/** Whoever may list sessions or tasks may add them up. */
const scope = ['sessions', 'tasks', 'admin'] as const

export const usageSection: ConsoleSection = {
  nav: [{ label: 'Usage', path: '/usage', scope }],
  pages: [
    { path: '/usage', scope, show: showUsage },
    { path: '/usage.csv', scope, show: readUsageFile },
  ],
}
