/** Sessions: the list, the page of one session, and actions on it. */
import type { ConsoleSection } from '../../page.ts'
import { createSession, newSessionPage } from './create/new-session.tsx'
import {
  endSession,
  extendSession,
  openInspector,
  openLiveView,
  readDownload,
  readHar,
  readSessionTrace,
  revokeLinks,
  tagSession,
} from './one/session-acts.ts'
import { passLogins, saveAsProfile, saveLogins } from './one/session-logins.tsx'
import { feedSession } from './one/session-facts.tsx'
import { orderVideo, readCaptions, readVideo, removeVideo } from './one/session-recording.tsx'
import { feedSessions } from './list/session-feed.tsx'
import { glanceAtSession } from './list/session-glance.ts'
import { showSessions } from './list/session-list.tsx'
import { showNewLink, showSession, showVideoLink } from './one/session-page.tsx'

const path = '/sessions/{id}'
const mayLook = ['drive', 'view'] as const

export const sessionsSection: ConsoleSection = {
  nav: [{ label: 'Sessions', path: '', below: '/sessions' }],
  forms: [{ label: 'New session', path: '/sessions/new', scope: 'sessions' }],
  pages: [
    { path: '', show: showSessions },
    { path: '/sessions/feed', show: feedSessions },
    { path: '/sessions/new', scope: 'sessions', show: newSessionPage, submit: createSession },
    { path, show: showSession },
    { path: `${path}/feed`, show: feedSession },
    { path: `${path}/glance`, scope: mayLook, show: glanceAtSession },
    { path: `${path}/live`, scope: mayLook, show: openLiveView },
    { path: `${path}/trace`, scope: 'drive', show: readSessionTrace },
    { path: `${path}/har`, scope: 'drive', show: readHar },
    { path: `${path}/video`, scope: 'drive', show: readVideo },
    { path: `${path}/video/captions`, scope: 'drive', show: readCaptions },
    { path: `${path}/video/pause`, scope: 'drive', submit: orderVideo('pause') },
    { path: `${path}/video/resume`, scope: 'drive', submit: orderVideo('resume') },
    { path: `${path}/video/remove`, scope: 'drive', submit: removeVideo },
    { path: `${path}/video/share`, scope: 'drive', submit: showVideoLink, again: showSession },
    { path: `${path}/devtools`, scope: 'drive', show: openInspector },
    { path: `${path}/downloads/{file}`, scope: 'files', show: readDownload },
    { path: `${path}/end`, submit: endSession },
    { path: `${path}/extend`, submit: extendSession, again: showSession },
    { path: `${path}/tags`, submit: tagSession, again: showSession },
    {
      path: `${path}/logins`,
      scope: 'drive',
      show: saveLogins,
      submit: passLogins,
      again: showSession,
    },
    { path: `${path}/profile`, scope: 'sessions', submit: saveAsProfile, again: showSession },
    { path: `${path}/links`, submit: showNewLink, again: showSession },
    { path: `${path}/links/revoke`, submit: revokeLinks },
  ],
}
