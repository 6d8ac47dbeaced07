import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { wasRefused, whenSignedOut } from './api/client';
import { startTheme } from './lib/theme';
import { startLive } from './live/client';
import { makeRouter } from './routes';
import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/layout.css';
import './styles/sections.css';

startTheme();
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // What the server refused it refuses again; a broken connection may come back.
      retry: (count, error) => count < 2 && !wasRefused(error),
    },
  },
});
const router = makeRouter(queries);
whenSignedOut(() => {
  const { pathname, href } = router.state.location;
  if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { next: href } });
});
startLive(queries);
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}><RouterProvider router={router} /></QueryClientProvider>
  </StrictMode>,
);
