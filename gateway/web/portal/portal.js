// What pages do beyond being pages. Each works without it.
import { fillInvitation } from './invitation.js'
import { offerPasskeys } from './passkey.js'
import { watchSession } from './session.js'

fillInvitation()
offerPasskeys()
watchSession()
