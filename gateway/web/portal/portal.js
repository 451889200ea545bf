// Enhancements of the portal's pages; every page works without them.
import { fillInvitation } from './invitation.js'
import { offerPasskeys } from './passkey.js'
import { watchSession } from './session.js'
import { offerThemes } from '../shared/theme-switch.js'

offerThemes()
fillInvitation()
offerPasskeys()
watchSession()
