import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { makeCache } from './api/cache';
import { whenSignedOut } from './api/client';
import { runEffectsBeforeActs } from './lib/effects';
import { startTheme } from './lib/theme';
import { startLive } from './live/client';
import { makeRouter } from './routes';
import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/layout.css';
import './styles/sections.css';

runEffectsBeforeActs();
startTheme();
const queries = makeCache();
const router = makeRouter(queries);
whenSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { next: href } });
});
startLive(queries);
void router.load();  // else it begins when the frame of the page is drawn: its code and its answers can be on their way meanwhile
createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={queries}><RouterProvider router={router} /></QueryClientProvider>,
);
