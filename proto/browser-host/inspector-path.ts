/**
 * Paths of the DevTools front end that a browser serves at its debugging port. No segment begins with
 * a dot, so none leads out of the folder.
 */
export const inspectorPath = /^\/devtools(?:\/[A-Za-z0-9_@-][A-Za-z0-9_.@-]{0,127}){1,8}$/
