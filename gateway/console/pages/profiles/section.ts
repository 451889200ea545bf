/** Profiles: the logins and other site data that sessions keep for later ones. */
import type { ConsoleSection } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { deleteProfile, restoreProfile, showProfiles } from './profiles-page.tsx'

const back = (visit: ConsoleVisit) => ({ to: visit.at('/profiles') })
const scope = 'sessions'

export const profilesSection: ConsoleSection = {
  nav: [{ label: 'Profiles', path: '/profiles', scope }],
  pages: [
    { path: '/profiles', scope, show: showProfiles },
    {
      path: '/profiles/{name}/delete',
      scope,
      show: back,
      submit: deleteProfile,
      again: showProfiles,
    },
    {
      path: '/profiles/{name}/restore',
      scope,
      show: back,
      submit: restoreProfile,
      again: showProfiles,
    },
  ],
}
